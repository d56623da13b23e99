"""Benchmarks, run by `make bench`; tests never assert their results."""
