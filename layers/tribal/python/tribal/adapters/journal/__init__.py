"""Memories of a space in one object of the store, for environments without a search domain."""
