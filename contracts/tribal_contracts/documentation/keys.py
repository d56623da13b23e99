"""Keys that no catalog declares, inferred and always marked as such. Extension contracts."""

from __future__ import annotations

from typing import Literal

from tribal_contracts.core.shape import Contract, Count, FullyQualifiedTableName, UnitInterval, Unset, optional

KeyEvidenceKind = Literal["sister", "name", "shared_name", "values", "view"]


class KeyEvidence(Contract):
    """One thing that an inferred key rests on.

    A `sister` is a column of the same name and type that declares the key; a `name` is that of the referenced table or
    its key; a `shared_name` is that of both columns; `values` of the one are found among those of the other; a `view`
    joins both.
    """

    kind: KeyEvidenceKind
    of: str
    """What of the catalog, such as a column or a view, fully qualified."""
    compared: Count | Unset = optional("Of `values`: how many distinct values were looked for.")
    found: Count | Unset = optional("Of `values`: how many of those were found.")


class InferredKey(Contract):
    """A key that is not declared, from the columns that likely reference to those that they likely reference."""

    from_table: FullyQualifiedTableName
    from_columns: list[str]
    to_table: FullyQualifiedTableName
    to_columns: list[str]
    confidence: UnitInterval
    evidence: list[KeyEvidence]
