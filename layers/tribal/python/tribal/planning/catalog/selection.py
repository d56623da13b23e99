"""Which tables the configuration selects."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Literal

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
    for where, pattern in _selected(entry, "schemas"):
        if not any(fnmatchcase(schema, pattern) for schema in known):
            found.append(_unmatched(where, pattern, "schema", known))
    tables = sorted({table for _, table in names})
    whole = sorted(f"{schema}.{table}" for schema, table in names)
    pins = ((f"domains.{domain}", pattern) for domain, patterns in entry.domains.items() for pattern in patterns)
    for where, pattern in (*_selected(entry, "tables"), *pins):
        if not any(matches_table([pattern], *name) for name in names):
            found.append(_unmatched(where, pattern, "table", whole if "." in pattern else tables))
    return found


def _selected(entry: DatabaseEntry, kind: Literal["schemas", "tables"]) -> Iterator[tuple[str, str]]:
    """The patterns of `include` and `exclude` for schemas or for tables, each with where it is written."""
    for where, selection in (("include", entry.include), ("exclude", entry.exclude)):
        yield from ((f"{where}.{kind}", pattern) for pattern in getattr(selection, kind))


def _unmatched(where: str, pattern: str, kind: str, names: list[str]) -> str:
    near = difflib.get_close_matches(pattern.strip("^$*?"), names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "; patterns are globs, such as 'order*'"
    return f"{where}: {pattern!r} matches no {kind}{hint}"
