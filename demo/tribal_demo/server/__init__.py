"""An embedded PostgreSQL server."""
