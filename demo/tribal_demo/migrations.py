"""A repository whose migrations create the sample company, and a description for it."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dulwich import porcelain

from tribal.identity.locations import annotations_file
from tribal_demo import COMPANY_SQL

MIGRATIONS = "migrations"
DESCRIBED = "billing.dunning_letter"
_DESCRIPTION = "The level of the reminder, 1 to 3; after the third it goes to collection."
_AUTHOR = b"Larkspur Outfitters <data@larkspur.example>"


def database_of(dsn: str) -> str:
    """The name of the database that a DSN leads to."""
    return unquote(urlsplit(dsn).path.removeprefix("/"))


def write_migrations(project: Path) -> None:
    """Create the repository with one migration of Flyway, instead of an earlier one and its contributions."""
    folder = project / MIGRATIONS
    for each in (folder, project / "contribution"):
        shutil.rmtree(each, ignore_errors=True)
    script = folder / "db" / "migration" / "V1__company.sql"
    script.parent.mkdir(parents=True)
    shutil.copyfile(COMPANY_SQL, script)
    with porcelain.init(str(folder)) as repository:
        porcelain.add(repository, [str(script.resolve())])
        porcelain.commit(repository, b"Create the company", author=_AUTHOR, committer=_AUTHOR, sign=False)


def describe(project: Path, database: str) -> None:
    """Write a description into the annotations of the database."""
    path = project / annotations_file(database)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(f"{before}tables:\n  {DESCRIBED}: {{columns: {{lvl: '{_DESCRIPTION}'}}}}\n", encoding="utf-8")
