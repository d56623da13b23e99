"""Sessions with Snowflake: logging in, sending statements in time, and what its errors mean."""
