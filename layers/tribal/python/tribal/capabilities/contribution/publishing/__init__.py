"""What a contribution publishes, approvals of it, publishing, and what became of it."""
