"""Snowflake, read through its own connector."""
