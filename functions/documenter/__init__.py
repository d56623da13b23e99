"""Documents one work unit."""
