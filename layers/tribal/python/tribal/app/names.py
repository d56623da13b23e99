"""The names of what a folder documents, for completion in a shell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tribal.adapters.sqlite.names import read_names
from tribal.identity.locations import INDEX_FILE

_PROJECT_FILE = "databases.yaml"
"""Same as `tribal.settings.PROJECT_FILE`, whose package takes 0.3 s to load."""
_MAY_SET_STORE = re.compile(rb"^[^#\n]*\bstore\b", re.MULTILINE)


class DocumentedName(NamedTuple):
    """The name of a table, and its domain."""

    database: str
    schema: str
    table: str
    domain: str


def documented_names(project: Path) -> list[DocumentedName]:
    """Return the tables in the index of a folder.

    Raises:
        OSError: when the folder cannot be read.
        ConfigurationError: when its `databases.yaml` sets the store and cannot be used.
        sqlite3.Error: when there is no index.
    """
    return [DocumentedName(*row) for row in read_names(_store(project.expanduser()) / INDEX_FILE)]


def _store(project: Path) -> Path:
    """Return the folder of the index. Settings are loaded only if they may name another one."""
    file = project / _PROJECT_FILE
    if not file.exists() or not _MAY_SET_STORE.search(file.read_bytes()):
        return project
    from tribal.settings import load_settings

    return load_settings(project=project, needs_databases=False).store
