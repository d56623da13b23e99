"""Lineage of views by table and column, and meanings of values. Extension contracts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.core.shape import ContentHash, Contract, FullyQualifiedTableName, Unset, optional

LineageVia = Literal["direct", "computed", "aggregated", "filter"]
"""Unchanged, in an expression, in an aggregate over rows, or only to decide which rows there are."""


class ReadColumn(Contract):
    """A column that a view reads."""

    column: str | Unset = optional("The view's column that it gets into; none where it only decides on rows.")
    from_table: FullyQualifiedTableName
    from_column: str
    via: LineageVia


MeaningSource = Literal["human", "lookup", "comment", "view"]
"""An annotation, a look-up table that the column references, the comment of the column, or a CASE of a view."""


class ValueMeaning(Contract):
    """The meaning of a value. Extension."""

    text: str
    source: MeaningSource
    view: FullyQualifiedTableName | Unset = optional("The view that says so.")


class ReadLabel(Contract):
    """A label that a view shows in place of a column's value."""

    column: str | Unset = optional("The view's column that shows only such labels.")
    from_table: FullyQualifiedTableName
    from_column: str
    value: str
    text: str


class ViewReads(Contract):
    """What one view reads."""

    view: FullyQualifiedTableName
    reads: list[FullyQualifiedTableName]
    columns: list[ReadColumn] = Field(default_factory=list)
    labels: list[ReadLabel] | Unset = optional("What values of columns mean by the CASE expressions of the view.")
    problem: str | Unset = optional("Why columns are missing; the tables are then those that the catalog records.")


class DatabaseLineage(Contract):
    """What the views of a database read. File: `catalog/{database}/lineage.json`."""

    schema_version: Literal["1.0"]
    database: str
    views: list[ViewReads]
    inputs: dict[FullyQualifiedTableName, ContentHash] = Field(default_factory=dict)
    """Hash of what each view was read from. A view that there was no time for has none."""
