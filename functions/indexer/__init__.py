"""Brings the index up to the manifest."""
