"""Runs: ids, leases, workers, progress, records, and the sequence of stages."""
