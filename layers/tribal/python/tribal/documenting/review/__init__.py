"""Checking the documentation that has been written."""
