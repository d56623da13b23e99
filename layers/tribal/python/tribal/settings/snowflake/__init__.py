"""The addresses of Snowflake databases."""
