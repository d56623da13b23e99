"""Takes samples with the warehouse, and says why one cannot be taken.

A statement reads a limited number of truncated rows, the same ones every time.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import NoReturn

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.account_usage import Marks, is_settled, read_marks, settled_tables
from tribal.adapters.snowflake.assembly import kind_of
from tribal.adapters.snowflake.connections.connection import Answer
from tribal.adapters.snowflake.connections.errors import (
    NO_PRIVILEGE,
    UNKNOWN_OBJECT,
    is_unknown_object,
    not_snowflake,
    number_of,
)
from tribal.adapters.snowflake.connections.pool import SnowflakeSessions
from tribal.adapters.snowflake.names import identifier, path, pattern
from tribal.adapters.snowflake.rows import TableRow, number
from tribal.errors import AccessDenied, DatabaseError, TableGone
from tribal.ports import Presence, SchemaAndTable, TableSample
from tribal.sql.dialect import qualified_table, quote_identifier
from tribal_contracts import CatalogColumn, CatalogTable, DatabaseLimits, TableKind

_NO_COLUMN = 904


class Sampler:
    """Samples the tables of one database; thread-safe.

    Args:
        presence: whether a table that is not seen is gone.
        settled_after_hours: how long ago a table was altered, at least, before its columns are sampled.
    """

    def __init__(
        self,
        sessions: SnowflakeSessions,
        limits: DatabaseLimits,
        presence: Callable[[SchemaAndTable], Presence],
        settled_after_hours: int,
    ) -> None:
        self._sessions = sessions
        self._limits = limits
        self._presence = presence
        self._warehouse_runs = False
        self._settled_after_hours = settled_after_hours
        self._lock = threading.Lock()
        self._marks: tuple[Marks | None] | None = None
        self._settled: dict[str, frozenset[str] | None] = {}

    def sample(self, table: CatalogTable, rows: int, doing: str) -> TableSample:
        """At most `rows` rows of the columns that are known not to be sensitive; none of a table of another kind.

        Raises:
            TableGone: when the table no longer exists, or has other columns.
            AccessDenied: when the role may not select from it, or may not see it.
        """
        marks = self._known_marks(doing)
        if marks is None:
            return TableSample((), ())
        size = self._size(table, doing)
        if size is None:
            self._raise_unseen(table)
        name = (table.schema_name, table.table_name)
        columns = [column for column in _sampled_columns(table) if marks.of(*name, column.name) is None]
        if not columns or kind_of(size) not in SAMPLED_KINDS or not self._is_settled(name, doing):
            return TableSample((), ())
        target = self._sessions.target
        sql = _sample_statement(target.database, table, columns, rows, size)
        try:
            answer = self._sessions.ask(sql, doing, self._seconds)
        except DatabaseError as error:
            if number_of(error) in {*UNKNOWN_OBJECT, NO_PRIVILEGE}:
                self._raise_denied(table, error)
            if number_of(error) == _NO_COLUMN:
                message = f"Table {_name(table)} no longer has the planned columns. Plan again."
                raise TableGone(message, context=error.context) from error
            raise
        self._warehouse_runs = True
        found = tuple(answer.rows)
        if not all(len(row) == len(columns) and all(isinstance(value, str | None) for value in row) for row in found):
            raise not_snowflake(doing, target)
        return TableSample(tuple(column.name for column in columns), found)

    def _known_marks(self, doing: str) -> Marks | None:
        """What marks columns, asked once: the plan may be old, or was made without the grant."""
        with self._lock:
            if self._marks is None:
                self._marks = (read_marks(self._asking(doing), self._sessions.target.database),)
            return self._marks[0]

    def _is_settled(self, name: SchemaAndTable, doing: str) -> bool:
        """Whether a table has no column so new that its tags may be unknown; mostly asked once for its schema."""
        ask, database, (schema, table) = self._asking(doing), self._sessions.target.database, name
        with self._lock:
            if schema not in self._settled:
                self._settled[schema] = settled_tables(ask, database, schema, self._settled_after_hours)
            settled = self._settled[schema]
        return is_settled(ask, database, name, self._settled_after_hours) if settled is None else table in settled

    def _asking(self, doing: str) -> Callable[[str], Answer]:
        return lambda sql: self._sessions.ask(sql, doing)

    @property
    def _seconds(self) -> float:
        # A warehouse that was suspended takes a while to start.
        longer = not self._warehouse_runs
        return self._limits.statement_timeout_seconds if longer else self._limits.sample_timeout_seconds

    def _size(self, table: CatalogTable, doing: str) -> TableRow | None:
        place = path(self._sessions.target.database, table.schema_name)
        sql = statements.TABLES_NAMED.format(pattern=pattern(table.table_name), place=place)
        try:
            rows = self._sessions.ask(sql, doing).as_rows(TableRow)
        except DatabaseError as error:
            if is_unknown_object(error):
                return None
            raise
        return next((row for row in rows if row.name == table.table_name), None)

    def _raise_unseen(self, table: CatalogTable) -> NoReturn:
        context = self._sessions.target.as_context() | {"table": _name(table)}
        if self._presence((table.schema_name, table.table_name)) == "gone":
            raise TableGone(f"Table {_name(table)} no longer exists. Plan again.", context=context)
        raise AccessDenied(
            f"Table {_name(table)} was dropped, or the role {self._role!r} can no longer see it: Snowflake reports "
            f"both alike. If it exists, ask an administrator to run: {self._grant(table)}",
            context=context,
        )

    def _raise_denied(self, table: CatalogTable, error: DatabaseError) -> NoReturn:
        raise AccessDenied(
            f"Role {self._role!r} may not select from {_name(table)}. Ask an administrator to run: "
            f"{self._grant(table)}",
            context=error.context,
        ) from error

    def _grant(self, table: CatalogTable) -> str:
        name = qualified_table(self._sessions.target.database, table.schema_name, table.table_name, "snowflake")
        return f"GRANT SELECT ON TABLE {name} TO ROLE {quote_identifier(self._role, 'snowflake')};"

    @property
    def _role(self) -> str:
        return self._sessions.context("sampling").role or "..."


def _name(table: CatalogTable) -> str:
    return f"'{table.schema_name}.{table.table_name}'"


SAMPLED_KINDS: frozenset[TableKind] = frozenset({"table", "iceberg_table", "hybrid_table"})
"""Views and dynamic tables may compute for long, external tables read files: none of them is sampled."""
MAX_COLUMNS = 200
_MAX_VALUE_LENGTH = 200
_PARTITION_BYTES = 16 * 1024 * 1024
"""About what a micro-partition takes when compressed:
https://docs.snowflake.com/en/user-guide/tables-clustering-micropartitions"""
_PARTITIONS = 20
"""Average number of rows to sample at least. By judgement: the chance of an empty sample is 1 in 10^8."""
LARGE_TABLE_BYTES = _PARTITIONS * _PARTITION_BYTES
"""From here on rows are taken from some partitions of a table."""
_TEXT = re.compile(r"VARCHAR\b")
_SHORT = re.compile(r"(NUMBER|FLOAT|BOOLEAN|DATE|TIME|TIMESTAMP_NTZ|TIMESTAMP_LTZ|TIMESTAMP_TZ)\b")
_NESTED = frozenset({"VARIANT", "OBJECT", "ARRAY", "MAP"})


def _sampled_columns(table: CatalogTable) -> list[CatalogColumn]:
    """The columns to sample: the first ones, up to a limit, without those that are marked as sensitive."""
    return [column for column in table.columns if column.sensitive is None][:MAX_COLUMNS]


def _sample_statement(
    database: str, table: CatalogTable, columns: Sequence[CatalogColumn], rows: int, size: TableRow
) -> str:
    """The statement that fetches a sample, in order of the primary key or else of all sampled values.

    Of a large table it takes some partitions. Their share is a power of ten, so that a table that grows rarely gets
    another one.
    """
    parts = {
        "columns": ", ".join(map(_value, columns)),
        "place": path(database, table.schema_name, table.table_name),
        "order": _order(table, columns),
        "rows": str(int(rows)),
    }
    size_bytes = number(size.bytes)
    # A hybrid table keeps its rows in order of the key, and knows no partitions.
    if size_bytes is None or size_bytes <= LARGE_TABLE_BYTES or table.kind == "hybrid_table":
        return statements.SAMPLE_ORDERED.format(**parts)
    return statements.SAMPLE_PARTITIONS.format(**parts, percent=percent_of_partitions(size_bytes))


def percent_of_partitions(size_bytes: int) -> str:
    """The share of a table's partitions that is very likely to hold rows, as SQL."""
    percent = 10.0
    while percent > 0.001 and size_bytes / _PARTITION_BYTES * percent / 100 > 10 * _PARTITIONS:
        percent /= 10
    return f"{percent:g}"


def _order(table: CatalogTable, columns: Sequence[CatalogColumn]) -> str:
    if table.primary_key is not None:
        return ", ".join(map(identifier, table.primary_key.columns))
    return ", ".join(str(place) for place in range(1, len(columns) + 1))


def _value(column: CatalogColumn) -> str:
    name = identifier(column.name)
    if _TEXT.match(column.type):
        return f"LEFT({name}, {_MAX_VALUE_LENGTH})"
    if _SHORT.match(column.type):
        return f"TO_VARCHAR({name})"
    if column.type.partition("(")[0] in _NESTED:
        return f"LEFT(TO_JSON({name}), {_MAX_VALUE_LENGTH})"
    return "NULL"
