"""Answers tools over HTTPS."""
