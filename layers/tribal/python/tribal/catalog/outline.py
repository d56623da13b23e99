"""What of a table's document keys are inferred from."""

from __future__ import annotations

from tribal_contracts import Contract, DocumentedKey, FullyQualifiedTableName


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
