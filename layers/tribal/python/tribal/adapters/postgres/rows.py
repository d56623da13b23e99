"""The rows of the catalog queries, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

# A byte that cannot be decoded is read as a lone surrogate (PEP 383).
_SURROGATE = re.compile("[\udc80-\udcff]")
_WITH_COMMENTS = frozenset({"schemas", "tables", "columns"})
"""The parts whose rows are reported one by one."""
_PARTS = {
    "enums": "labels of enum types",
    "types": "comments on types",
    "texts": "definitions",
    "server": "settings",
    "routines": "routines",
    "callable": "routines",
}
"""Names of the other parts in messages."""


class ServerRow(NamedTuple):
    """A row of `SERVER`."""

    database: str
    version: str
    user: str


class SchemaRow(NamedTuple):
    """A row of `SCHEMAS`."""

    name: str
    usable: bool | None
    """`None` if the schema has been dropped since the snapshot was taken."""
    comment: str | None


class TableRow(NamedTuple):
    """A row of `TABLES`."""

    oid: int
    schema: str
    name: str
    kind: str
    comment: str | None
    usable: bool | None
    """Whether this user may use its schema; `None` if that has been dropped since the snapshot was taken."""
    selectable: bool | None
    """`None` if the table has been dropped since the snapshot was taken."""
    rows: int | None
    size_bytes: int | None
    partitions: int | None
    row_security: bool = False
    populated: bool = True
    foreign_server: str | None = None
    foreign_options: Mapping[str, str] | None = None
    """The remote `schema_name` and `table_name`, as far as they are set."""
    partition_names: Sequence[tuple[str, str]] | None = None
    """Schemas and names of all tables that are folded into this one."""


class ColumnRow(NamedTuple):
    """A row of `COLUMNS`."""

    table: int
    position: int
    name: str
    type: str
    not_null: bool
    has_default: bool
    identity: str
    generated: bool
    comment: str | None
    type_oid: int
    """Oid of the declared type, such as a domain."""


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
    inherited: bool
    validated: bool = True
    comment: str | None = None


class IndexRow(NamedTuple):
    """A row of `INDEXES`."""

    oid: int
    table: int
    name: str
    unique: bool
    columns: list[str | None]
    partial: bool
    comment: str | None = None
    include: list[str] | None = None
    nulls_not_distinct: bool = False
    deferrable: bool = False


class TriggerRow(NamedTuple):
    """A row of `TRIGGERS`."""

    table: int
    name: str
    kind: int
    """Bits of `pg_trigger.tgtype`."""
    enabled: bool
    schema: str
    routine: str
    comment: str | None


class PolicyRow(NamedTuple):
    """A row of `POLICIES`."""

    table: int
    name: str
    comment: str | None


class RoutineRow(NamedTuple):
    """A row of `ROUTINES`."""

    schema: str
    name: str
    body: str
    comment: str | None


TextKind = Literal[
    "default", "generated", "check", "exclusion", "predicate", "index", "partition key", "view", "domain"
]


class TextGaps(NamedTuple):
    """Why texts have no row."""

    failed: Mapping[tuple[TextKind, int], str] = MappingProxyType({})
    """SQLSTATE of texts that the server failed to render, by kind and oid of the table or the domain's check."""
    skip_locked: bool = False
    """Whether texts of locked tables were left out."""


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
    texts: Sequence[Sequence[Any]]
    triggers: Sequence[Sequence[Any]] = ()
    policies: Sequence[Sequence[Any]] = ()
    routines: Sequence[Sequence[Any]] = ()
    callable: Sequence[Sequence[Any]] = ()
    dependencies: Sequence[Sequence[Any]] = ()


Named = TypeVar("Named", SchemaRow, TableRow, ColumnRow)


def is_readable(value: Any) -> bool:
    """Whether every byte of a text, or of all texts in a list, could be decoded."""
    if isinstance(value, list):
        return all(map(is_readable, value))
    if not isinstance(value, str) or value.isascii():
        return True
    return _SURROGATE.search(value) is None


def replaced(value: Any) -> Any:
    """The text, or list of texts, with U+FFFD for bytes that could not be decoded."""
    if isinstance(value, list):
        return [replaced(each) for each in value]
    return value if is_readable(value) else _SURROGATE.sub("\ufffd", value)


def readable_rows(rows: CatalogRows) -> tuple[CatalogRows, tuple[str, ...]]:
    """The rows without bytes that were no text in the encoding of the database, and where those were.

    What has such a name is left out, since no statement could name it: schemas, tables, columns, and keys and indexes
    over these. In comments and other texts each such byte is U+FFFD.
    """
    lost: set[str] = set()
    schemas = list(_named(map(SchemaRow._make, rows.schemas), "a schema", lost))
    heads = [row for row in _named(map(TableRow._make, rows.tables), "a table", lost) if is_readable(row.schema)]
    tables = {row.oid: f"{row.schema}.{row.name}" for row in heads}
    columns = list(_named(map(ColumnRow._make, rows.columns), "a column", lost))
    dependencies = [row for row in rows.dependencies if is_readable(list(row[1:]))]
    comments = [(row.comment, f"schema {row.name!r}") for row in schemas]
    comments += [(row.comment, tables[row.oid]) for row in heads]
    comments += [(row.comment, f"{tables.get(row.table)}.{row.name}") for row in columns]
    lost.update(f"the comment on {owner}" for text, owner in comments if not is_readable(text))
    keys = [
        row
        for row in map(ConstraintRow._make, rows.constraints)
        if is_readable([row.columns, row.references_schema, row.references_table, row.references_columns])
    ]
    indexes = [row for row in map(IndexRow._make, rows.indexes) if is_readable([row.columns, row.include])]
    kept = rows._replace(
        schemas=schemas, tables=heads, columns=columns, constraints=keys, indexes=indexes, dependencies=dependencies
    )
    for name, part in rows._asdict().items():
        if name not in _WITH_COMMENTS and not all(is_readable(list(row)) for row in part):
            lost.add(f"some {_PARTS.get(name, name)}")
    return CatalogRows._make([[_replaced_row(row) for row in part] for part in kept]), tuple(sorted(lost))


def _named(rows: Iterable[Named], what: str, lost: set[str]) -> Iterator[Named]:
    for row in rows:
        if is_readable(row.name):
            yield row
        else:
            lost.add(f"the name of {what} ({replaced(row.name)!r})")


def _replaced_row(row: Sequence[Any]) -> Sequence[Any]:
    return row if is_readable(list(row)) else [replaced(value) for value in row]
