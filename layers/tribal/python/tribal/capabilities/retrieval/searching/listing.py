"""What a result of a search shows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.scoping.bounds import Bounds
from tribal_contracts import Contract, Description, DomainName, FullyQualifiedTableName, RowCount, TableDocument


class ListedColumn(Contract):
    """A column by what it is and what is said of it."""

    name: str
    type: str
    description: Description
    is_primary_key: bool
    is_foreign_key: bool


class ListedRelation(Contract):
    """A table that this one is joined to."""

    name: FullyQualifiedTableName


class TableListing(Contract):
    """A part of `TableDocument`, parsed from the same JSON several times faster."""

    name: FullyQualifiedTableName
    database: str
    schema_: str = Field(alias="schema")
    table: str
    domain: DomainName
    description: Description
    row_count: RowCount
    columns: list[ListedColumn]
    relations: list[ListedRelation]


def listed_tables(ids: Sequence[int], bounds: Bounds, toolbox: Toolbox) -> dict[int, TableDocument | TableListing]:
    """What a caller may see of tables by id, in the given order; without those that the index no longer has."""
    if bounds.is_open:
        return dict(toolbox.index.documents(ids, TableListing))
    return {table: bounded_table(each, bounds) for table, each in toolbox.index.documents(ids, TableDocument).items()}
