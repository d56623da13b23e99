"""The right to write, held by one run at a time."""
