"""One package a Lambda function, thin: parse the event, call one use case, answer with a contract."""
