"""The sample company database, and the embedded PostgreSQL server that the demo, tests and benchmarks run it on."""

from pathlib import Path

COMPANY_SQL = Path(__file__).with_name("company.sql")
"""The sample company: one script that fills an empty database, the same each time."""
