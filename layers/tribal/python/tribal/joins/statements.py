"""Joins as steps and as SQL that runs: every name quoted by the dialect, the kind of join chosen by the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tribal.identity.table_names import TableIdentity
from tribal.joins.graph import Step
from tribal.sql.dialect import legible_identifier, legible_table
from tribal_contracts import DatabaseType, JoinStep

ROW_LIMIT = 100
"""LIMIT of SQL to be run, so that pasting it does not fetch a large table. By judgement."""

JoinType = Literal["INNER", "LEFT"]


def same_name(database: str) -> str:
    """The name of a database on its server, if the configuration uses the same."""
    return database


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table under its names on the server; only SQL for Snowflake includes `server_database`."""

    schema: str
    table: str
    server_database: str = ""

    @classmethod
    def named(cls, name: str, server_name: Callable[[str], str] = same_name) -> SqlTable:
        """The table of a fully qualified name; `server_name` gives the name of its database on the server.

        Raises:
            ValueError: when the name is not fully qualified.
        """
        identity = TableIdentity.parse(name)
        return cls(identity.schema, identity.table, server_name(identity.database))


@dataclass(frozen=True, slots=True)
class Join:
    """A further table; `columns` pairs a column of a table before with one of this table.

    `keeps_every_row` is true of a key that goes from child to parent over columns that are never null.
    """

    table: SqlTable
    columns: tuple[tuple[str, str], ...]
    keeps_every_row: bool = False
    onto: int = 0
    """Number of the table before, 0 for the first one."""


def join_steps(steps: Sequence[Step], kind: DatabaseType) -> list[JoinStep]:
    """Number the steps of a path or tree and say how each is joined.

    The first table is `t0`, the one that step n reaches is `tn`.
    """
    joins = joins_along(steps)
    types = _join_types(joins)
    return [
        JoinStep(
            step=number,
            from_table=step.source,
            to_table=step.target,
            join_type=join_type,
            on_clause=_on_clause(number, join, kind),
            from_alias=f"t{join.onto}",
            to_alias=f"t{number}",
        )
        for number, (step, join, join_type) in enumerate(zip(steps, joins, types, strict=True), start=1)
    ]


def joins_along(steps: Sequence[Step], server_name: Callable[[str], str] = same_name) -> list[Join]:
    """The joins of a path or tree; each step starts at the first table or one that an earlier step reached."""
    numbers = {steps[0].source: 0} if steps else {}
    joins = []
    for number, step in enumerate(steps, start=1):
        join = Join(
            SqlTable.named(step.target, server_name),
            tuple(zip(step.source_columns, step.target_columns, strict=True)),
            keeps_every_row=step.to_parent and not step.key.nullable,
            onto=numbers[step.source],
        )
        joins.append(join)
        numbers.setdefault(step.target, number)
    return joins


def join_sql(start: SqlTable, joins: Sequence[Join], kind: DatabaseType, *, row_limit: int | None = None) -> str:
    """A SELECT over tables joined one after another, with the aliases `t0`, `t1` and so on; it runs as it stands.

    Without a limit it is the short form that pages show; with one, columns are named table by table.
    """
    aliases = ", ".join(f"t{number}.*" for number in range(len(joins) + 1))
    columns, before_on, end = ("*", " ", ";") if row_limit is None else (aliases, "\n  ", f"\nLIMIT {row_limit}")
    lines = [f"SELECT {columns}", f"FROM {_written(start, kind)} AS t0"]
    for number, (join, join_type) in enumerate(zip(joins, _join_types(joins), strict=True), start=1):
        condition = _on_clause(number, join, kind)
        lines.append(f"{join_type} JOIN {_written(join.table, kind)} AS t{number}{before_on}ON {condition}")
    return "\n".join(lines) + end


def _join_types(joins: Iterable[Join]) -> list[JoinType]:
    """INNER where that loses no rows, else LEFT; after a LEFT join, INNER would drop the rows that it kept."""
    types: list[JoinType] = ["INNER"]
    for join in joins:
        types.append(types[join.onto] if join.keeps_every_row else "LEFT")
    return types[1:]


def _on_clause(number: int, join: Join, kind: DatabaseType) -> str:
    return " AND ".join(
        f"t{join.onto}.{legible_identifier(own, kind)} = t{number}.{legible_identifier(other, kind)}"
        for own, other in join.columns
    )


def _written(table: SqlTable, kind: DatabaseType) -> str:
    return legible_table(table.server_database, table.schema, table.table, kind)
