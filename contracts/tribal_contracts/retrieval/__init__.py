"""Contracts of the index and of the tools that ask it."""
