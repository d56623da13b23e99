"""Memories of a space in one object."""
