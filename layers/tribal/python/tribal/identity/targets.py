"""What a gap is about: a table, a column, or a word that nothing explains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tribal.identity.hashing import object_hash
from tribal.identity.table_names import TableIdentity, format_name, parse_name
from tribal_contracts import Description, DocumentedColumn, TableDocument
from tribal_contracts.answering.open_gaps import OpenGap

WORD = "word:"
"""Begins a target that is a word of a question."""


@dataclass(frozen=True, slots=True)
class Target:
    """A table, or one of its columns."""

    table: TableIdentity
    column: str | None = None


def target_name(table: TableIdentity, column: str | None = None) -> str:
    """The target of a gap about a table or a column; `parse_target` reads it back."""
    parts = (table.database, table.schema, table.table)
    return format_name(parts if column is None else (*parts, column))


def parse_target(name: str) -> Target | None:
    """The table or column that a target names; `None` for a word, and for anything else."""
    try:
        database, schema, table, *rest = parse_name(name)
    except ValueError:
        return None
    return Target(TableIdentity(database, schema, table), rest[0] if rest else None) if len(rest) < 2 else None


def target_hash(document: TableDocument, column: str | None = None) -> str | None:
    """A hash of what a document says of its table or of a column; `None` if it has no such column.

    It changes with what the catalog says and with what people, comments and models wrote, but not with row counts,
    samples, or sentences that rules derive from them.
    """
    if column is not None:
        found = next((each for each in document.columns if each.name == column), None)
        return None if found is None else object_hash(_of_column(found))
    keys = [document.primary_key, *document.unique_keys, *document.foreign_keys, *document.checks]
    return object_hash(
        [
            document.kind,
            document.view_definition,
            _text(document.description),
            [_of_column(each) for each in document.columns],
            [None if key is None else key.model_dump(mode="json") for key in keys],
        ]
    )


def current_gaps(document: TableDocument, gaps: Iterable[OpenGap]) -> Iterator[tuple[str | None, OpenGap]]:
    """Those of a table's gaps that its document has not closed, each with its column."""
    for gap in gaps:
        target = parse_target(gap.target)
        if target is not None and gap.target_hash == target_hash(document, target.column) is not None:
            yield target.column, gap


def _of_column(column: DocumentedColumn) -> list[Any]:
    meanings = column.value_meanings or {}
    return [
        column.name,
        column.type,
        column.nullable,
        column.is_primary_key,
        column.is_foreign_key,
        column.default_value,
        _text(column.description),
        column.allowed_values,
        {value: meaning.text for value, meaning in meanings.items()},
    ]


def _text(description: Description) -> list[str] | None:
    return None if description.source == "derived" else [description.source, description.text]
