"""PostgreSQL, read through pg8000."""
