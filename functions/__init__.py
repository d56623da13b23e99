"""Lambda functions, one thin package each: parse the event, call one use case, return a contract."""
