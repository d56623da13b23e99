"""Syncs decisions from their repository, and is the only function that reads it."""
