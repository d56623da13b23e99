"""What people decided: read where the company keeps it, published as a snapshot, found and shown."""
