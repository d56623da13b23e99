"""Serves the tools over HTTPS."""
