"""Checks a query against documented tables, without a database; no I/O."""
