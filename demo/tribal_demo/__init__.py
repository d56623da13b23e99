"""The sample company database, and the demo that documents it."""

import shutil
from pathlib import Path

COMPANY_SQL = Path(__file__).with_name("company.sql")
"""The sample company: a deterministic script that fills an empty database."""
DECISIONS = Path(__file__).with_name("decisions")
"""Decisions of the sample company."""
QUERIES = Path(__file__).with_name("queries")
"""Queries of the sample company; two are verified, and one violates a decision."""
ANNOTATIONS = Path(__file__).with_name("annotations")
"""Metrics, terms and owners of the sample company."""


def copy_definitions(project: Path) -> None:
    """Put the queries, metrics, terms and owners into a project's folder."""
    for folder in (QUERIES, ANNOTATIONS):
        shutil.copytree(folder, project / folder.name, dirs_exist_ok=True)
