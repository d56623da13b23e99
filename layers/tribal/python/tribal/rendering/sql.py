"""Joins as SQL that runs: every name quoted by the dialect, the kind of join chosen by the key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.catalog.dialect import legible_identifier, legible_table
from tribal_contracts import DatabaseType


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table by the names that its server knows; `server_database` is written in Snowflake alone."""

    schema: str
    table: str
    server_database: str = ""


@dataclass(frozen=True, slots=True)
class Join:
    """A further table; `columns` pairs a column of the table before with one of this table.

    `keeps_every_row` is true of a key that goes from child to parent over columns that are never null.
    """

    table: SqlTable
    columns: tuple[tuple[str, str], ...]
    keeps_every_row: bool = False


def on_clause(left: str, right: str, columns: Sequence[tuple[str, str]], kind: DatabaseType) -> str:
    """The condition that joins two aliases over pairs of columns."""
    return " AND ".join(
        f"{left}.{legible_identifier(a, kind)} = {right}.{legible_identifier(b, kind)}" for a, b in columns
    )


def join_sql(start: SqlTable, joins: Sequence[Join], kind: DatabaseType) -> str:
    """A SELECT over a chain of tables with the aliases `t0`, `t1` and so on.

    INNER where that loses no row, else LEFT; after a LEFT every join is LEFT.
    """
    lines = ["SELECT *", f"FROM {_name(start, kind)} AS t0"]
    outer = False
    for position, join in enumerate(joins, start=1):
        outer = outer or not join.keeps_every_row
        word = "LEFT JOIN" if outer else "INNER JOIN"
        condition = on_clause(f"t{position - 1}", f"t{position}", join.columns, kind)
        lines.append(f"{word} {_name(join.table, kind)} AS t{position} ON {condition}")
    return "\n".join(lines) + ";"


def _name(table: SqlTable, kind: DatabaseType) -> str:
    return legible_table(table.server_database, table.schema, table.table, kind)
