"""Judging documentation that is there."""
