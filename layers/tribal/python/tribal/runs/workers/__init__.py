"""Where the work units of a run are documented: threads and processes."""
