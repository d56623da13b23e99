"""Contracts of planning and documenting."""
