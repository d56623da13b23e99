"""Publishes what a run documented."""
