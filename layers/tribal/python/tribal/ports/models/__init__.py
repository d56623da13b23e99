"""Language models: calls of one, and chains of several."""
