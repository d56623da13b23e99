"""Remembers for agents, and tells them what was remembered."""
