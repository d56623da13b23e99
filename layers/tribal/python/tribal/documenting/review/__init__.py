"""Check the written documentation."""
