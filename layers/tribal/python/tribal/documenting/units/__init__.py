"""Documenting one work unit."""
