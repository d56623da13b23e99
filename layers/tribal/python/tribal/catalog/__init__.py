"""Pure room: identity of tables, SQL dialects, hashes and the graph of keys."""
