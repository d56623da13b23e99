"""`tribal proposals`."""
