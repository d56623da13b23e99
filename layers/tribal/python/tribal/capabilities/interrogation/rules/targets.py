"""What a gap is about: a table, a column, or a word of a hypothesis."""

from __future__ import annotations

from tribal.identity.table_names import format_name
from tribal_contracts import DocumentedColumn, TableDocument

WORD = "word:"
"""Begins the target of a gap about a word."""


def column_target(table: TableDocument, column: DocumentedColumn) -> str:
    """The target of a gap about a column: its qualified name."""
    return format_name((table.database, table.schema_, table.table, column.name))


def word_target(word: str) -> str:
    """The target of a gap about a word that nothing documented explains."""
    return f"{WORD}{word}"
