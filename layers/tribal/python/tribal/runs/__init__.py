"""Runs: ids, leases, workers, progress, records, and stages."""
