"""Keys that no catalog declares, inferred and always marked as such. Extension contracts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.core.shape import (
    ContentHash,
    Contract,
    Count,
    FullyQualifiedTableName,
    ISOTimestamp,
    UnitInterval,
    Unset,
    optional,
)

KeyEvidenceKind = Literal["sister", "name", "shared_name", "values", "view", "told"]


class KeyEvidence(Contract):
    """One thing that an inferred key rests on.

    A `sister` is a column of the same name and type that declares the key; a `name` is that of the referenced table or
    its key; a `shared_name` is that of both columns; `values` of the one are found among those of the other; a `view`
    joins both; `told` means that the comment on the referencing column names the key.
    """

    kind: KeyEvidenceKind
    of: str
    """What of the catalog, such as a column or a view, fully qualified."""
    compared: Count | Unset = optional("Of `values`: how many distinct values were looked for.")
    found: Count | Unset = optional("Of `values`: how many of those were found.")


KeyIdentifies = Literal["alone", "with_another"]
"""Whether the columns of a key to another table identify a row of their own table, alone or with one other such key.
Alone, at most one row references a parent. With another, the rows relate two other tables."""


class InferredKey(Contract):
    """A key that is not declared, from the columns that likely reference to those that they likely reference."""

    from_table: FullyQualifiedTableName
    from_columns: list[str]
    to_table: FullyQualifiedTableName
    to_columns: list[str]
    confidence: UnitInterval
    evidence: list[KeyEvidence]
    identifies: KeyIdentifies | Unset = optional()


class DocumentedInferredKey(InferredKey):
    """An inferred key as the document of a table at either end of it shows it."""

    path: str
    """The other table's Markdown file, relative to `docs/`."""


class ColumnComparison(Contract):
    """What came of looking for the values of some columns among those of others: counts alone, and no value."""

    from_table: FullyQualifiedTableName
    from_columns: list[str]
    to_table: FullyQualifiedTableName
    to_columns: list[str]
    compared_at: ISOTimestamp
    compared: Count | Unset = optional("How many distinct values were looked for; unset where that was not possible.")
    found: Count | Unset = optional("How many of those were found.")
    unique: bool | Unset = optional("Whether none of those found occurs twice; unset where none was found.")


class InferredKeys(Contract):
    """The likely keys of a database. File: `catalog/{database}/inferred-keys.json`.

    A comparison is kept while the structure of both tables is the same, and until it is over age.
    """

    schema_version: Literal["1.0"]
    database: str
    keys: list[InferredKey]
    comparisons: list[ColumnComparison] = Field(default_factory=list)
    tables: dict[FullyQualifiedTableName, ContentHash] = Field(default_factory=dict)
    """The hash of the structure of each table whose columns were compared."""
    input_hash: ContentHash | Unset = optional("Of what the keys were inferred from; unset while comparisons are left.")
