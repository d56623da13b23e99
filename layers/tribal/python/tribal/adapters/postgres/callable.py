"""The routines that a query may call because they only read and compute. No body is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

from tribal.ports import SchemaAndTable

# A stable function of an extension may still run its argument as SQL, as crosstab() does.
CALLABLE = """\
SELECT n.nspname, p.proname,
       CASE WHEN p.provolatile = 'i' OR (p.provolatile = 's' AND e.objid IS NULL) THEN NULL
            WHEN l.lanname = 'sql' AND e.objid IS NULL THEN left(p.prosrc, 65536) ELSE '' END
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
JOIN pg_language l ON l.oid = p.prolang
LEFT JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e'
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY n.nspname, p.proname LIMIT 20000"""


def callable_routines(rows: Iterable[Sequence[Any]], tables: Collection[SchemaAndTable]) -> list[SchemaAndTable]:
    """Schema and name of each routine that only reads and computes, in all its overloads.

    Args:
        rows: of `CALLABLE`.
        tables: those of the database, which a body may read.
    """
    found = []
    for (schema, name), overloads in groupby(rows, key=lambda row: (row[0], row[1])):
        bodies = [body for *_, body in overloads if body is not None]
        if all(body.strip() and _only_reads(body, tables) for body in bodies):
            found.append((schema, name))
    return found


def _only_reads(body: str, tables: Collection[SchemaAndTable]) -> bool:
    # The parser takes 0.3 s to load.
    from tribal.sql.checking.check import check
    from tribal.sql.checking.known import KnownTable, KnownTables

    known = KnownTables.of((KnownTable(f"{at}.{name}", at, name) for at, name in tables), "postgres")
    # Parameters look like columns that do not exist.
    harmless = ("unknown_column", "ambiguous_column", "value_not_allowed")
    return all(each.code in harmless for each in check(body, known).findings if each.is_error)
