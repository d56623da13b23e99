"""Identity of tables, SQL dialects, hashes and the graph of foreign keys; no I/O."""
