"""The index in SQLite files."""
