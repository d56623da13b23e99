"""Reading a database once, into a snapshot."""
