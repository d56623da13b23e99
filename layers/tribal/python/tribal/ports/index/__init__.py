"""The index of tables: reading and writing."""
