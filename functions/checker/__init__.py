"""Checks files, dependencies and tables against decisions, and may write nothing."""
