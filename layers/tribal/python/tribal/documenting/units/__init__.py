"""Document one work unit."""
