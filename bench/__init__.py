"""Benchmarks: one module per question, measured through `bench.harness`; never part of the tests."""
