"""Builds the sampling statements: a limited number of truncated rows, the same ones every time."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tribal.adapters.postgres import row_queries
from tribal.sql.dialect import qualified_table, quote_identifier
from tribal_contracts import CatalogColumn, CatalogTable

_KINDS_WITH_BLOCKS = frozenset({"table", "partitioned_table", "materialized_view"})
MAX_COLUMNS = 200
MAX_VALUE_LENGTH = 200
LARGE_TABLE_ROWS = 100_000
"""From here on rows are taken from some blocks of a table."""
_SPARE_FACTOR = 20
# JSON and arrays may be a hundred megabytes as text, all of it produced before truncation.
_MAX_STORED_BYTES = 65_536

_NOT_SAMPLED = frozenset(
    "bytea tsvector tsquery geometry geography raster vector halfvec sparsevec pg_snapshot txid_snapshot "
    "refcursor aclitem".split()
)
_CUT_BY_THE_SERVER = re.compile(r"(character varying|character|text|varchar|bpchar|name)\b(?!.*\[\])")
_FIXED_WIDTH = re.compile(
    r"(smallint|integer|bigint|real|double precision|boolean|date|time|timestamp|uuid|interval|oid|money)\b(?!.*\[\])"
)


def sampled_columns(table: CatalogTable) -> list[CatalogColumn]:
    """The columns to sample: the first ones, up to a limit."""
    return table.columns[:MAX_COLUMNS]


def wants_estimate(table: CatalogTable, readable: Collection[str]) -> bool:
    """Whether the choice of rows depends on how large the table is."""
    return table.kind in _KINDS_WITH_BLOCKS and not _ordered_by_key(table, readable)


def sample_statement(
    table: CatalogTable, columns: Sequence[CatalogColumn], rows: int, estimate: float | None, readable: Collection[str]
) -> str:
    """The statement that fetches a sample, ordered by the primary key if it is readable.

    Without a key it takes a table's first rows or, if `estimate` says that the table is large, rows from some of its
    blocks, so that the sample of a log is not only its oldest day. The fraction of blocks is a power of ten, so that a
    new estimate of the same data rarely changes it.
    """
    name = qualified_table("", table.schema_name, table.table_name, "postgres")
    values = ", ".join(_value(column) for column in columns)
    key = table.primary_key
    if key is not None and _ordered_by_key(table, readable):
        order = ", ".join(_column(name) for name in key.columns)
        return row_queries.SAMPLE_BY_KEY.format(columns=values, table=name, primary_key=order, rows=int(rows))
    if estimate is None or estimate < LARGE_TABLE_ROWS:
        return row_queries.SAMPLE_FIRST.format(columns=values, table=name, rows=int(rows))
    return row_queries.SAMPLE_BLOCKS.format(
        columns=values, table=name, percent=percent_of_blocks(estimate, rows), rows=int(rows)
    )


def _ordered_by_key(table: CatalogTable, readable: Collection[str]) -> bool:
    # Inheriting tables have separate indexes: sorting them together would read every row.
    inherited = table.kind == "table" and table.partition_count
    return table.primary_key is not None and not inherited and set(table.primary_key.columns) <= set(readable)


def percent_of_blocks(estimate: float, rows: int) -> str:
    """The share of a table's blocks that surely holds that many rows, as SQL."""
    percent = 10.0
    while percent > 0.001 and estimate * percent / 100 > 10 * _SPARE_FACTOR * rows:
        percent /= 10
    return f"{percent:g}"


def _column(name: str) -> str:
    # Qualified with the alias, any identifier is safe, even one with a special meaning at the start of an expression.
    return f"t.{quote_identifier(name, 'postgres')}"


def _value(column: CatalogColumn) -> str:
    name, base = _column(column.name), column.type
    if _base_type(base) in _NOT_SAMPLED:
        return "NULL::text"
    if _FIXED_WIDTH.match(base) or base.startswith("numeric"):
        return f"{name}::text"
    if _CUT_BY_THE_SERVER.match(base):
        return f"left({name}::text, {MAX_VALUE_LENGTH})"
    return f"CASE WHEN pg_column_size({name}) <= {_MAX_STORED_BYTES} THEN left({name}::text, {MAX_VALUE_LENGTH}) END"


def _base_type(type_name: str) -> str:
    bare = re.split(r"[(\[]", type_name, maxsplit=1)[0]
    return bare.rpartition(".")[2].strip().strip('"').lower()
