"""Which tables the configuration selects."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from tribal_contracts import DatabaseEntry


def matches_table(patterns: Iterable[str], schema: str, table: str) -> bool:
    """Whether a glob matches: against `schema.table` if it contains a dot, otherwise against the table's name."""
    return any(fnmatchcase(f"{schema}.{table}" if "." in pattern else table, pattern) for pattern in patterns)


def is_selected(entry: DatabaseEntry, schema: str, table: str) -> bool:
    """Whether the entry includes the table and does not exclude it; an empty include list includes everything."""

    def in_schemas(patterns: list[str]) -> bool:
        return any(fnmatchcase(schema, pattern) for pattern in patterns)

    include, exclude = entry.include, entry.exclude
    if include.schemas and not in_schemas(include.schemas):
        return False
    if include.tables and not matches_table(include.tables, schema, table):
        return False
    return not in_schemas(exclude.schemas) and not matches_table(exclude.tables, schema, table)
