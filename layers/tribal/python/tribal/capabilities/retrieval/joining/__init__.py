"""Finds and writes the joins between tables."""
