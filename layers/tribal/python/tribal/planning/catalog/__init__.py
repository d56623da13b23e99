"""Read a database once, into a snapshot."""
