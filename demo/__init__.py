"""The sample company database, and the demo that documents it."""

from pathlib import Path

COMPANY_SQL = Path(__file__).with_name("company.sql")
"""The sample company: a deterministic script that fills an empty database."""
DECISIONS = Path(__file__).with_name("decisions")
"""Decisions of the sample company."""
QUERIES = Path(__file__).with_name("queries")
"""Queries of the sample company; one violates a decision."""
