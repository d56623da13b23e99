"""The structure of a table without its descriptions: the input for inferring keys and choosing joins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from pydantic import Field

from tribal.identity.table_names import TableIdentity
from tribal.sql.type_families import KeyFamily, key_family
from tribal_contracts import (
    CatalogKey,
    CatalogTable,
    Contract,
    DocumentedKey,
    FullyQualifiedTableName,
    KeyIdentifies,
    TableDocument,
    TableKind,
)
from tribal_contracts.core.shape import Unset, optional


class OutlinedColumn(Contract):
    """The name and type of a column."""

    name: str
    type: str
    nullable: bool
    is_foreign_key: bool
    base_type: str | Unset = optional()
    default_value: str | Unset = optional()
    identity: str | Unset = optional()
    generated: str | Unset = optional()

    @property
    def is_generated(self) -> bool:
        """Whether the database makes its values: numbers from a sequence, or an expression."""
        default = (self.default_value or "").lower()
        return bool(self.identity or self.generated) or default.startswith(("nextval(", "unique_rowid("))

    @property
    def key_family(self) -> KeyFamily | None:
        """The family of its values; columns of one family can be compared."""
        return key_family(self.base_type or self.type)


class OutlinedForeignKey(Contract):
    """A declared foreign key; its columns pair up by position."""

    columns: list[str]
    references_table: FullyQualifiedTableName
    references_columns: list[str]


class OutlinedIndex(Contract):
    """An index; a unique one counts as a unique key."""

    name: str
    columns: list[str]
    unique: bool
    predicate: str | Unset = optional()


class TableOutline(Contract):
    """Names, types and keys of a table: a part of `TableDocument`, parsed from the same JSON several times faster."""

    name: FullyQualifiedTableName
    schema_: str = Field(alias="schema")
    table: str
    kind: TableKind
    columns: list[OutlinedColumn]
    primary_key: DocumentedKey | None
    unique_keys: list[DocumentedKey]
    foreign_keys: list[OutlinedForeignKey]
    indexes: list[OutlinedIndex]
    view_definition: str | Unset = optional()

    def is_unique(self, columns: Collection[str]) -> bool:
        """Whether the table declares these columns unique."""
        return any(set(key) <= set(columns) for key in row_keys(self))


def row_keys(table: TableOutline | TableDocument) -> list[list[str]]:
    """The columns that identify a row: those of the primary key, then of unique keys and of unique indexes."""
    keys = [table.primary_key, *table.unique_keys] if table.primary_key else table.unique_keys
    found = [key.columns for key in keys]
    return found + [each.columns for each in table.indexes if each.unique and each.predicate is None]


def unique_columns(table: TableOutline | TableDocument) -> set[str]:
    """Columns that are unique on their own, other than a primary key of one column."""
    alone = {columns[0] for columns in row_keys(table) if len(columns) == 1}
    return alone - set(table.primary_key.columns if table.primary_key and len(table.primary_key.columns) == 1 else ())


def identifies(
    columns: Sequence[str], others: Iterable[Sequence[str]], keys: Iterable[Sequence[str]]
) -> KeyIdentifies | None:
    """Whether the columns of a key to another table identify a row of their own table.

    Args:
        columns: of the key.
        others: the columns of each key of the same table, this one included.
        keys: the table's `row_keys`.
    """
    own = frozenset(columns)
    rows = list(map(frozenset, keys))
    if any(row <= own for row in rows):
        return "alone"
    pairs = [own.union(other) for other in others if own.isdisjoint(other)]
    return "with_another" if any(row == pair for row in rows for pair in pairs) else None


def outline_of(table: CatalogTable, database: str) -> TableOutline:
    """The outline of a catalog table, equal to that of its document."""
    declared = {column for key in table.foreign_keys for column in key.columns}

    def name(schema: str, table: str) -> str:
        return str(TableIdentity(database, schema, table))

    return TableOutline(
        name=name(table.schema_name, table.table_name),
        schema_=table.schema_name,
        table=table.table_name,
        kind=table.kind,
        columns=[
            _column(
                column.name,
                column.type,
                column.nullable,
                column.name in declared,
                column.base_type,
                (column.default_value, column.identity, column.generated),
            )
            for column in table.columns
        ],
        primary_key=None if table.primary_key is None else _key(table.primary_key),
        unique_keys=[_key(key) for key in table.unique_keys],
        foreign_keys=[
            OutlinedForeignKey(
                columns=key.columns,
                references_table=name(key.references_schema, key.references_table),
                references_columns=key.references_columns,
            )
            for key in table.foreign_keys
        ],
        indexes=[
            OutlinedIndex(name=index.name, columns=index.columns, unique=index.unique, predicate=index.predicate)
            for index in table.indexes
        ],
        view_definition=table.view_query or table.view_definition,
    )


# The same columns recur in many tables, and validating one takes longer than everything else here.
@lru_cache(maxsize=16_384)
def _column(
    name: str,
    type_name: str,
    nullable: bool,
    is_foreign_key: bool,
    base_type: str | None,
    filled: tuple[str | None, str | None, str | None],
) -> OutlinedColumn:
    default, identity, generated = filled
    return OutlinedColumn(
        name=name,
        type=type_name,
        nullable=nullable,
        is_foreign_key=is_foreign_key,
        base_type=base_type,
        default_value=default,
        identity=identity,
        generated=generated,
    )


def _key(key: CatalogKey) -> DocumentedKey:
    return DocumentedKey(name=key.name, columns=key.columns)
