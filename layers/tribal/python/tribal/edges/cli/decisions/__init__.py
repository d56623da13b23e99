"""`tribal decisions`."""
