"""The rows of the catalog queries, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

# A byte that is not UTF-8 is read as a lone surrogate (PEP 383).
_FIRST_SURROGATE, _LAST_SURROGATE = "\udc80", "\udcff"


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
    inherited: bool


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


Named = TypeVar("Named", SchemaRow, TableRow, ColumnRow)


def is_readable(value: Any) -> bool:
    """Whether a text, or every text in a list, was valid UTF-8."""
    if isinstance(value, list):
        return all(map(is_readable, value))
    if not isinstance(value, str) or value.isascii():
        return True
    return not any(_FIRST_SURROGATE <= character <= _LAST_SURROGATE for character in value)


def replaced(value: Any) -> Any:
    """The text, or list of texts, with U+FFFD in place of bytes that were not UTF-8."""
    if isinstance(value, list):
        return [replaced(each) for each in value]
    return value if is_readable(value) else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def readable_rows(rows: CatalogRows) -> tuple[CatalogRows, tuple[str, ...]]:
    """The rows without text that was not valid UTF-8, and where such text was.

    A comment is left out whole, and so is what has such a name, since no statement could name it: schemas, tables,
    columns, and keys and indexes over these. In other texts U+FFFD stands for the bytes.
    """
    lost: set[str] = set()
    schemas = [
        row._replace(comment=_comment(row.comment, f"schema {row.name!r}", lost))
        for row in _named(map(SchemaRow._make, rows.schemas), "a schema", lost)
    ]
    heads = [
        row._replace(comment=_comment(row.comment, f"{row.schema}.{row.name}", lost))
        for row in _named(map(TableRow._make, rows.tables), "a table", lost)
        if is_readable(row.schema)
    ]
    tables = {row.oid: f"{row.schema}.{row.name}" for row in heads}
    columns = [
        row._replace(comment=_comment(row.comment, f"{tables.get(row.table)}.{row.name}", lost))
        for row in _named(map(ColumnRow._make, rows.columns), "a column", lost)
    ]
    keys = [
        row
        for row in map(ConstraintRow._make, rows.constraints)
        if is_readable([row.columns, row.references_schema, row.references_table, row.references_columns])
    ]
    indexes = [row for row in map(IndexRow._make, rows.indexes) if is_readable(row.columns)]
    types = [row for row in rows.types if row[1] != "comment" or is_readable(row[3])]
    kept = rows._replace(schemas=schemas, tables=heads, columns=columns, constraints=keys, indexes=indexes, types=types)
    for name, part in kept._asdict().items():
        if not all(is_readable(list(row)) for row in part):
            lost.add(f"text of some {name}")
    return CatalogRows._make([[_replaced_row(row) for row in part] for part in kept]), tuple(sorted(lost))


def _named(rows: Iterable[Named], what: str, lost: set[str]) -> Iterator[Named]:
    for row in rows:
        if is_readable(row.name):
            yield row
        else:
            lost.add(f"the name of {what} ({replaced(row.name)!r})")


def _comment(text: str | None, owner: str, lost: set[str]) -> str | None:
    if is_readable(text):
        return text
    lost.add(f"the comment on {owner}")
    return None


def _replaced_row(row: Sequence[Any]) -> Sequence[Any]:
    return row if is_readable(list(row)) else [replaced(value) for value in row]
