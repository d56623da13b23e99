"""What of a table's document keys are inferred from, and joins are judged by."""

from __future__ import annotations

from collections.abc import Collection

from tribal_contracts import Contract, DocumentedIndex, DocumentedKey, FullyQualifiedTableName


class OutlinedColumn(Contract):
    """The name and type of a column."""

    name: str
    type: str
    is_foreign_key: bool


class TableOutline(Contract):
    """Names, types and keys of a table: a part of `TableDocument`, parsed from the same JSON several times faster."""

    name: FullyQualifiedTableName
    table: str
    columns: list[OutlinedColumn]
    primary_key: DocumentedKey | None
    unique_keys: list[DocumentedKey]
    indexes: list[DocumentedIndex]

    def is_unique(self, columns: Collection[str]) -> bool:
        """Whether no two rows have the same values in these columns, by what the table declares."""
        keys = [self.primary_key, *self.unique_keys] if self.primary_key else self.unique_keys
        unique = [key.columns for key in keys]
        unique += [index.columns for index in self.indexes if index.unique and index.predicate is None]
        return any(set(some) <= set(columns) for some in unique)
