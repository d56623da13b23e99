"""Runs: their ids, lease, workers, progress, records, and the stages in their order."""
