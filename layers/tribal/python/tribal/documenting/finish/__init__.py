"""Finish a documenting run: overviews, pages and the manifest."""
