"""Reads the indexes of hybrid tables; other tables have none."""

from __future__ import annotations

from itertools import groupby

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.names import split_name
from tribal.adapters.snowflake.reading.listing import Listing
from tribal.adapters.snowflake.reading.questions import Questions
from tribal.adapters.snowflake.rows import IndexRow, is_yes
from tribal.ports import SchemaAndTable
from tribal_contracts import CatalogIndex


def read_indexes(questions: Questions, listing: Listing) -> dict[SchemaAndTable, list[CatalogIndex]]:
    """The indexes of each hybrid table, in order of their names."""
    hybrid = [(row.schema_name, row.name) for row in listing.tables if is_yes(row.is_hybrid)]
    by_schema = groupby(hybrid, key=lambda name: name[0])
    return {
        name: sorted(map(_index, rows), key=lambda index: index.name)
        for _, tables in by_schema
        for name, rows in questions.singly(statements.INDEXES, list(tables), IndexRow, "indexes")
    }


def _index(row: IndexRow) -> CatalogIndex:
    inner = (row.columns or "").strip().removeprefix("[").removesuffix("]")
    columns = [name.strip() for name in split_name(inner, separator=",")] if inner else []
    return CatalogIndex(name=row.name, columns=columns, unique=is_yes(row.is_unique), predicate=None)
