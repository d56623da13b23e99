"""The sample company database, and the demo that documents it."""

import shutil
from pathlib import Path

COMPANY_SQL = Path(__file__).with_name("company.sql")
"""The sample company: a deterministic script that fills an empty database."""
DECISIONS = Path(__file__).with_name("decisions")
"""Decisions of the sample company."""
EXAM = Path(__file__).with_name("exam.txt")
"""Questions that the sales team asks every week."""
HANDBOOK = Path(__file__).with_name("handbook.md")
"""A document to upload."""
QUERIES = Path(__file__).with_name("queries")
"""Queries of the sample company; two are verified, and one violates a decision."""
ANNOTATIONS = Path(__file__).with_name("annotations") / "company.yaml"
"""Metrics, terms and owners of the sample company."""


def copy_definitions(project: Path, database: str = "company") -> None:
    """Put the queries, metrics, terms and owners into a project's folder, for the database of that name."""
    from tribal.identity.locations import annotations_file

    shutil.copytree(QUERIES, project / QUERIES.name, dirs_exist_ok=True)
    annotations = project / annotations_file(database)
    annotations.parent.mkdir(exist_ok=True)
    shutil.copyfile(ANNOTATIONS, annotations)
