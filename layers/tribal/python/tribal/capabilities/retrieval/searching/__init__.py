"""Finds tables by what a question says, names or means."""
