"""The servers that tests, demo and benchmarks start on this machine: PostgreSQL and OpenSearch."""
