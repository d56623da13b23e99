"""Reads uploads into the passages of their collections."""
