"""Reads the names of tables from an index file, for completion in a shell. Imports little, to be fast."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_SELECT = """
SELECT DISTINCT database_name, schema_name, table_name, domain FROM documents WHERE doc_type = 'table' ORDER BY 1, 2, 3
"""
"""Of the view that section 5.3 of the specification promises."""


def read_names(path: Path) -> list[tuple[str, str, str, str]]:
    """Read database, schema, name and domain of all tables.

    Raises:
        sqlite3.Error: when the file does not exist or is no index.
    """
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        return connection.execute(_SELECT).fetchall()
