"""`tribal init`."""
