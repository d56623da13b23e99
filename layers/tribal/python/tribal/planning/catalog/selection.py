"""Which tables the configuration selects."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
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


def unmatched_patterns(entry: DatabaseEntry, names: Collection[tuple[str, str]], schemas: Iterable[str]) -> list[str]:
    """A sentence for each pattern of an entry that matches nothing, with the nearest name.

    Args:
        entry: an entry for one database.
        names: schema and name of every table that can be read.
        schemas: every schema, readable or not.
    """
    known = sorted({*schemas, *(schema for schema, _ in names)})
    found = []
    for where, pattern in _schema_patterns(entry):
        if not any(fnmatchcase(schema, pattern) for schema in known):
            found.append(_unmatched(where, pattern, "schema", known))
    tables = sorted({table for _, table in names})
    whole = sorted(f"{schema}.{table}" for schema, table in names)
    for where, pattern in _table_patterns(entry):
        if not any(matches_table([pattern], *name) for name in names):
            found.append(_unmatched(where, pattern, "table", whole if "." in pattern else tables))
    return found


def _schema_patterns(entry: DatabaseEntry) -> Iterator[tuple[str, str]]:
    for where, selection in (("include", entry.include), ("exclude", entry.exclude)):
        yield from ((f"{where}.schemas", pattern) for pattern in selection.schemas)


def _table_patterns(entry: DatabaseEntry) -> Iterator[tuple[str, str]]:
    for where, selection in (("include", entry.include), ("exclude", entry.exclude)):
        yield from ((f"{where}.tables", pattern) for pattern in selection.tables)
    for domain, patterns in entry.domains.items():
        yield from ((f"domains.{domain}", pattern) for pattern in patterns)


def _unmatched(where: str, pattern: str, kind: str, names: list[str]) -> str:
    near = difflib.get_close_matches(pattern.strip("^$*?"), names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "; patterns are globs, such as 'order*'"
    return f"{where}: {pattern!r} matches no {kind}{hint}"
