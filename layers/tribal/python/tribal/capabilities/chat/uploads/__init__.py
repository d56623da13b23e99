"""Uploads: files that are checked, read page by page, and cut into passages."""
