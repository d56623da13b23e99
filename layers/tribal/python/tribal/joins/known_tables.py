"""What a check of SQL knows of documented tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import OutlinedColumn, TableOutline, row_keys
from tribal.sql.checking.known import KnownColumn, KnownTable
from tribal.sql.references import TableName
from tribal_contracts import TableDocument
from tribal_contracts.core.shape import Unset, optional

_STORED = frozenset(("table", "partitioned_table", "partition", "materialized_view", "foreign_table"))


class CheckedColumn(OutlinedColumn):
    """A column with the values that it may hold."""

    allowed_values: list[str] | Unset = optional()
    allowed_values_complete: bool | Unset = optional()
    allowed_values_from: str | Unset = optional()


class CheckedTable(TableOutline):
    """What a check needs of a table: a part of `TableDocument`."""

    columns: Sequence[CheckedColumn]  # type: ignore[assignment]  # columns with more fields are columns too
    server_database: str | Unset = optional()


def known_table(document: CheckedTable | TableDocument) -> KnownTable:
    """A documented table as the check knows it."""
    return KnownTable(
        name=document.name,
        schema=document.schema_,
        table=document.table,
        columns=[
            KnownColumn(
                column.name,
                column.base_type or column.type,
                tuple(column.allowed_values or ()) if column.allowed_values_complete else (),
                is_enum=column.allowed_values_from == "enum",
            )
            for column in document.columns
        ],
        keys=list(map(frozenset, row_keys(document))),
        is_stored=document.kind in _STORED,
    )


def routines_of(database: str, names: Iterable[str]) -> frozenset[TableName]:
    """Schema and name of the routines of a database, from names as `database.schema.name`."""
    found = map(TableIdentity.parse, names)
    return frozenset((each.schema, each.table) for each in found if each.database == database)


def parents_of(documents: Iterable[TableDocument]) -> dict[TableName, TableName]:
    """The partitions of tables, each with the table that it is documented with."""
    return {
        (partition.schema, partition.table): (document.schema_, document.table)
        for document in documents
        for partition in map(TableIdentity.parse, document.partitions or ())
    }
