"""Checks the SQL of definitions against the documented tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tribal.documenting.definitions.documented_tables import DocumentedTables
from tribal.identity.table_names import TableIdentity
from tribal.sql.references import TableName
from tribal_contracts import DatabaseType, TableDocument

if TYPE_CHECKING:
    from tribal.sql.checking.findings import Checked
    from tribal.sql.checking.known import KnownTable, KnownTables

_UNNAMED = frozenset(("parse_error", "unknown_table", "not_a_query", "unsafe_sql", "limit_exceeded"))
"""Findings of which not all tables that the SQL names are known."""
_UNSAFE = frozenset(("parse_error", "not_a_query", "unsafe_sql", "limit_exceeded"))
"""Findings with which the SQL may do anything."""


@dataclass(frozen=True, slots=True)
class CheckedSql:
    """What SQL names, and what is wrong with it."""

    tables: frozenset[TableIdentity]
    is_bounded: bool
    """Whether `tables` are all that it names."""
    is_safe: bool
    """Whether it is one SELECT that only reads and computes."""
    problems: Sequence[tuple[str, int]]
    """Messages of errors, each with its line of the SQL."""


def check_query(sql: str, database: str, documented: DocumentedTables) -> CheckedSql:
    """Check a query of a database."""
    # The parser is loaded only if there is SQL to check.
    from tribal.sql.checking.check import check

    return _summary(check(sql, _known(database, documented)))


def check_expression(sql: str, tables: Sequence[TableIdentity], documented: DocumentedTables) -> CheckedSql:
    """Check an expression over the columns of tables, which are all in one database."""
    from tribal.sql.checking.check import check_expression as check

    places = [(each.schema, each.table) for each in tables]
    return _summary(check(sql, places, _known(tables[0].database, documented)))


def _summary(found: Checked) -> CheckedSql:
    errors = [each for each in found.findings if each.is_error]
    return CheckedSql(
        tables=frozenset(map(TableIdentity.parse, found.tables)),
        is_bounded=not found.not_checked and all(each.code not in _UNNAMED for each in errors),
        is_safe=all(each.code not in _UNSAFE for each in errors),
        problems=[(_message(each.message, each.suggestion), each.line) for each in errors],
    )


def _message(message: str, suggestion: str | None) -> str:
    return f"{message}; did you mean {suggestion}?" if suggestion else message


def _known(database: str, documented: DocumentedTables) -> KnownTables:
    from tribal.joins.known_tables import routines_of
    from tribal.sql.checking.known import KnownTables

    listed = documented.of(database)
    first = _first(database, documented)
    names = {database, first.server_database or database} if first is not None else {database}
    return KnownTables(
        dialect=dialect_of(database, documented),
        names=[(each.schema, each.table) for each in listed],
        load=partial(_loaded, database, documented),
        database=frozenset(names),
        partitions=partial(documented.partitions, database),
        routines=routines_of(database, documented.routines),
    )


def dialect_of(database: str, documented: DocumentedTables) -> DatabaseType:
    """The kind of a documented database."""
    first = _first(database, documented)
    return first.database_type if first is not None else "postgres"


def _first(database: str, documented: DocumentedTables) -> TableDocument | None:
    return next((found for each in documented.of(database) if (found := documented.document(each)) is not None), None)


def _loaded(database: str, documented: DocumentedTables, names: Sequence[TableName]) -> Mapping[TableName, KnownTable]:
    from tribal.joins.known_tables import known_table

    documents = {name: documented.document(TableIdentity(database, *name)) for name in names}
    return {name: known_table(document) for name, document in documents.items() if document is not None}
