"""Benchmarks: measured by `make bench`, never asserted by tests."""
