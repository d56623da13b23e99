"""Syntax, types and functions of SQL, as far as a check knows them."""
