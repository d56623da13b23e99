"""Passages of collections in files that are published."""
