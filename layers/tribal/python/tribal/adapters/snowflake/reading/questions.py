"""Sends `SHOW` statements, and knows whether a response contains all rows.

`SHOW` refuses more than 10,000 rows, and older servers cut them off instead. So an answer of as many rows proves
nothing either, and counts as too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from tribal.adapters.snowflake.connections.connection import Answer
from tribal.adapters.snowflake.connections.errors import is_too_much, is_unknown_object
from tribal.adapters.snowflake.names import path
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable, UnreadPart
from tribal.sql.dialect import string_literal

SHOW_ROWS = 10_000
"""The most rows of a `SHOW`: https://docs.snowflake.com/en/sql-reference/sql/show-tables"""
_OVERLAP = 10
"""How many rows of a page the next one repeats, as proof that none is missing in between."""

Ask = Callable[[str], Answer]
Item = TypeVar("Item")
Result = TypeVar("Result")
RowT = TypeVar("RowT", bound=NamedTuple)


@dataclass
class Questions:
    """The statements of one reading of a database, and what came of them."""

    ask: Ask
    database: str
    show_rows: int
    queries_left: int
    """How many single tables may still be asked about."""
    queries: int
    """How many that were at the beginning, for messages."""
    workers: int
    """How many statements may be sent at once."""
    unread: list[UnreadPart] = field(default_factory=list)
    unread_tables: set[SchemaAndTable] = field(default_factory=set)

    def whole(self, sql: str, kind: type[RowT]) -> list[RowT] | None:
        """All rows of an answer; `None` when there are more than it holds."""
        try:
            answer = self.ask(sql)
        except DatabaseError as error:
            if is_too_much(error):
                return None
            raise
        return answer.as_rows(kind) if len(answer.rows) < self.show_rows else None

    def of_database(self, template: str, kind: type[RowT]) -> list[RowT] | None:
        """All rows of the database."""
        return self.whole(template.format(scope="DATABASE", place=path(self.database)), kind)

    def of_schema(self, template: str, schema: str, kind: type[RowT]) -> list[RowT] | None:
        """All rows of a schema, an empty list if it has vanished."""
        return self._vanishing(template.format(scope="SCHEMA", place=path(self.database, schema)), kind)

    def singly(
        self, template: str, tables: Sequence[SchemaAndTable], kind: type[RowT], what: str, scope: str = "TABLE"
    ) -> Iterator[tuple[SchemaAndTable, list[RowT]]]:
        """All rows of each table, none if it has been dropped; tables that cannot be read are reported.

        Args:
            what: the part of the tables that is read, for messages.
        """
        wanted = [table for table in tables if table not in self.unread_tables]
        affordable = wanted[: max(0, self.queries_left)]
        self.queries_left -= len(affordable)

        def of_table(table: SchemaAndTable) -> list[RowT] | None:
            return self._vanishing(template.format(scope=scope, place=path(self.database, *table)), kind)

        for table, rows in zip(affordable, self.together(of_table, affordable), strict=True):
            if rows is None:
                reason = f"There are {self.show_rows:,} or more, which Snowflake does not list for one table."
                self.leave_out([table], f"the {what} of {'.'.join(table)!r}", reason)
            else:
                yield table, rows
        if beyond := wanted[len(affordable) :]:
            self.leave_out(
                beyond,
                f"the {what} of {len(beyond):,} tables of the schema {beyond[0][0]!r}",
                f"Snowflake lists them only per table, and limits.split_queries allows {self.queries:,} such "
                "queries. Raise that limit, or name a warehouse, which helps with columns.",
            )

    def paged(self, first: str, following: str, schema: str, kind: type[RowT]) -> list[RowT] | None:
        """All rows of a schema by pages in order of their names; `None` when they do not prove to be all."""
        place = path(self.database, schema)
        page = self.ask(first.format(place=place, rows=self.show_rows)).as_rows(kind)
        found = {row[0]: row for row in page}
        overlap = min(_OVERLAP, self.show_rows // 2)
        while len(page) >= self.show_rows:
            if not overlap:
                return None
            after = string_literal(page[-overlap - 1 if overlap < len(page) else 0][0])
            page = self.ask(following.format(place=place, rows=self.show_rows, after=after)).as_rows(kind)
            fresh = [row for row in page if row[0] not in found]
            if len(fresh) == len(page) or (not fresh and len(page) >= self.show_rows):
                return None
            found.update((row[0], row) for row in fresh)
        return list(found.values())

    def together(self, ask: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """What was asked about each item, in their order; several are asked about at once."""
        if min(len(items), self.workers) < 2:
            return [ask(item) for item in items]
        with ThreadPoolExecutor(self.workers) as threads:
            return list(threads.map(ask, items))

    def leave_out(self, tables: Sequence[SchemaAndTable], what: str, reason: str) -> None:
        """Report that something could not be read completely, and leave out the tables that would be wrong."""
        self.unread.append(UnreadPart(what, reason))
        self.unread_tables.update(tables)

    def _vanishing(self, sql: str, kind: type[RowT]) -> list[RowT] | None:
        try:
            return self.whole(sql, kind)
        except DatabaseError as error:
            if is_unknown_object(error):
                return []
            raise
