"""Metrics, terms and verified queries: what a caller may see of them, and which of them a question is about."""
