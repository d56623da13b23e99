"""Spread the work units of a run over threads and processes."""
