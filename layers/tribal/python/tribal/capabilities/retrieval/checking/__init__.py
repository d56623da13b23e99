"""Checks SQL against the documentation, without a database."""
