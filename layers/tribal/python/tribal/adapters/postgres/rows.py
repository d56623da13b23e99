"""The rows of the catalog queries, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class ServerRow(NamedTuple):
    """A row of `SERVER`."""

    database: str
    version: str
    user: str


class SchemaRow(NamedTuple):
    """A row of `SCHEMAS`."""

    name: str
    usable: bool
    comment: str | None


class TableRow(NamedTuple):
    """A row of `TABLES`."""

    oid: int
    schema: str
    name: str
    kind: str
    comment: str | None
    usable: bool
    selectable: bool
    rows: int | None
    size_bytes: int | None
    partitions: int | None


class ColumnRow(NamedTuple):
    """A row of `COLUMNS`."""

    table: int
    position: int
    name: str
    type: str
    not_null: bool
    default: str | None
    identity: str
    generated: bool
    type_oid: int
    comment: str | None
    declared_type_oid: int
    """Oid of the declared type, such as a domain; `type_oid` is its base type."""


class ConstraintRow(NamedTuple):
    """A row of `CONSTRAINTS`."""

    oid: int
    table: int
    kind: str
    name: str
    columns: list[str] | None
    references_schema: str | None
    references_table: str | None
    references_columns: list[str] | None
    on_update: str
    on_delete: str


class IndexRow(NamedTuple):
    """A row of `INDEXES`."""

    oid: int
    table: int
    name: str
    unique: bool
    columns: list[str | None]
    partial: bool


class CatalogRows(NamedTuple):
    """The results of all catalog queries, as returned by the driver."""

    server: Sequence[Sequence[Any]]
    schemas: Sequence[Sequence[Any]]
    tables: Sequence[Sequence[Any]]
    inheritance: Sequence[Sequence[Any]]
    columns: Sequence[Sequence[Any]]
    enums: Sequence[Sequence[Any]]
    types: Sequence[Sequence[Any]]
    constraints: Sequence[Sequence[Any]]
    indexes: Sequence[Sequence[Any]]
    expressions: Sequence[Sequence[Any]]
