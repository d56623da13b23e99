"""Brings the index up to date with the manifest."""
