"""Keys as a graph of tables, and joins along them: paths, costs, ambiguities and SQL; no I/O."""
