"""Jobs that can be killed and resumed."""
