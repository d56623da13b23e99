"""The deployed system without an account: `cdk deploy` into moto, and the packages in the real runtime of Lambda."""
