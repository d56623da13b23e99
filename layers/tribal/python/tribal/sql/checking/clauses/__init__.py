"""Which clauses of a query may aggregate, and what it may be ordered by."""
