"""Metrics, terms and verified queries: read from files, checked against the documents, and published by each run."""
