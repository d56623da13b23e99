"""Formats the results of commands for people."""
