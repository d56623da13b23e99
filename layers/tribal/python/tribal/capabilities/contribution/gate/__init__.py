"""What may be published: exact diffs, and texts without secrets."""
