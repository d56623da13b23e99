"""`tribal check-sql`."""
