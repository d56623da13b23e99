"""Syncs what people decided into what is asked: the snapshot, and the memories that point to its items."""
