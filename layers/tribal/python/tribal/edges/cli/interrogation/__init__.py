"""`tribal interrogate` and `tribal interrogations`."""
