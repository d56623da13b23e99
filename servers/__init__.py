"""Servers and other programs that tests, demo and benchmarks start: PostgreSQL, OpenSearch, Chromium and so on."""
