"""SQL of PostgreSQL and Snowflake: how names are quoted, what types and checks mean; no I/O."""
