"""Repositories on GitHub, over its REST API."""
