"""Answers the tools of capabilities that have a function of their own."""
