"""Amazon Web Services: S3, Secrets Manager, Step Functions, CloudFormation, RDS and the deployed API."""
