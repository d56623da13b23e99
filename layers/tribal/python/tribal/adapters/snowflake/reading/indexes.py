"""Reads the indexes of hybrid tables; other tables have none."""

from __future__ import annotations

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
    hybrid = [name for name in hybrid if name not in questions.unread_tables]
    affordable = hybrid[: max(0, questions.queries_left)]
    found = {
        name: sorted(
            (_index(row) for row in questions.of_table(statements.INDEXES, name, IndexRow)),
            key=lambda index: index.name,
        )
        for name in affordable
    }
    if len(affordable) < len(hybrid):
        questions.leave_out(
            hybrid[len(affordable) :],
            f"the indexes of {len(hybrid) - len(affordable):,} hybrid tables",
            f"SHOW tells indexes only singly, and limits.split_queries allows {questions.queries:,} such queries. "
            "Raise that limit.",
        )
    return found


def _index(row: IndexRow) -> CatalogIndex:
    inner = (row.columns or "").strip().removeprefix("[").removesuffix("]")
    columns = [name.strip() for name in split_name(inner, separator=",")] if inner else []
    return CatalogIndex(name=row.name, columns=columns, unique=is_yes(row.is_unique), predicate=None)
