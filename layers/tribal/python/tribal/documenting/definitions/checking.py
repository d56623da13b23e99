"""Checks the SQL of definitions against the documented tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.documenting.definitions.documented_tables import DocumentedTables
from tribal.identity.table_names import TableIdentity, format_name


@dataclass(frozen=True, slots=True)
class CheckedSql:
    """What SQL names, and what is wrong with it."""

    tables: frozenset[TableIdentity] = frozenset()
    is_bounded: bool = True
    """Whether `tables` are all that it names."""
    problems: Sequence[tuple[str, int]] = ()
    """Messages of errors, each with its line of the SQL."""


def check_query(sql: str, database: str, known: DocumentedTables) -> CheckedSql:
    """Check a query of a database."""
    return _check(sql, database, known)


def check_expression(sql: str, tables: Sequence[TableIdentity], known: DocumentedTables) -> CheckedSql:
    """Check an expression over the columns of tables, which are all in one database."""
    listed = ", ".join(format_name((each.schema, each.table)) for each in tables)
    return _check(f"SELECT {sql} FROM {listed}", tables[0].database, known)


def _check(sql: str, database: str, known: DocumentedTables) -> CheckedSql:
    from tribal.sql.parsing import NotParsed, exp, parse_query

    try:
        tree = parse_query(sql, "postgres")
    except NotParsed as error:
        return CheckedSql(is_bounded=False, problems=((error.reason, error.line or 1),))
    ctes = {each.alias for each in tree.find_all(exp.CTE)}
    found: dict[str, TableIdentity] = {}
    problems: list[tuple[str, int]] = []
    for node in tree.find_all(exp.Table):
        parts = [part.name for part in node.parts]
        if parts[0] in ctes and len(parts) == 1:
            continue
        table = known.resolve(format_name(parts), database)
        if isinstance(table, str):
            problems.append((table, 1))
        else:
            found[node.alias_or_name] = table
    bounded = not problems
    documents = {alias: known.document(table) for alias, table in found.items()}
    for column in tree.find_all(exp.Column):
        if ctes or (column.table and column.table not in documents):
            continue
        inside = [documents[column.table]] if column.table else list(documents.values())
        if not any(each is None or any(c.name == column.name for c in each.columns) for each in inside) and inside:
            problems.append((f"there is no column {column.name!r}", 1))
    return CheckedSql(frozenset(found.values()), bounded, tuple(problems))
