"""PostgreSQL, OpenSearch, Chromium and what stands before them: the programs that tests, demo and benchmarks start."""
