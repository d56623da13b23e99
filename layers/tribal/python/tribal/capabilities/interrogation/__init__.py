"""Interrogation: question the documentation and audit its answers."""
