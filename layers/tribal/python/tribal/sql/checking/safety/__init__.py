"""Whether a query only reads and computes."""
