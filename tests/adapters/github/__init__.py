"""Repositories on GitHub."""
