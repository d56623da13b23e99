"""The AWS CDK app that deploys the system, one stack per environment."""
