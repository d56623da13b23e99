"""Builds the sampling statements: a limited number of truncated rows, the same ones every time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.names import identifier, path
from tribal.adapters.snowflake.rows import TableRow, number
from tribal_contracts import CatalogColumn, CatalogTable, TableKind

SAMPLED_KINDS: frozenset[TableKind] = frozenset({"table", "iceberg_table", "hybrid_table"})
"""Views and dynamic tables may compute for long, external tables read files: none of them is sampled."""
MAX_COLUMNS = 200
MAX_VALUE_LENGTH = 200
_PARTITION_BYTES = 16 * 1024 * 1024
"""About what a micro-partition takes when compressed:
https://docs.snowflake.com/en/user-guide/tables-clustering-micropartitions"""
_PARTITIONS = 20
"""How many are wanted at least, on average. By judgement: with a chance each, that there are none is 1 in 10^8."""
LARGE_TABLE_BYTES = _PARTITIONS * _PARTITION_BYTES
"""From here on rows are taken from some partitions of a table."""
_TEXT = re.compile(r"VARCHAR\b")
_SHORT = re.compile(r"(NUMBER|FLOAT|BOOLEAN|DATE|TIME|TIMESTAMP_NTZ|TIMESTAMP_LTZ|TIMESTAMP_TZ)\b")
_NESTED = frozenset({"VARIANT", "OBJECT", "ARRAY", "MAP"})


def sampled_columns(table: CatalogTable) -> list[CatalogColumn]:
    """The columns to sample: the first ones, up to a limit, without those that are marked as sensitive."""
    return [column for column in table.columns if column.sensitive is None][:MAX_COLUMNS]


def sample_statement(
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
        return f"LEFT({name}, {MAX_VALUE_LENGTH})"
    if _SHORT.match(column.type):
        return f"TO_VARCHAR({name})"
    if column.type.partition("(")[0] in _NESTED:
        return f"LEFT(TO_JSON({name}), {MAX_VALUE_LENGTH})"
    return "NULL"
