"""Claude over Amazon Bedrock."""
