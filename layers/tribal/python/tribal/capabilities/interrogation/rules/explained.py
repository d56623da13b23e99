"""Find out which columns a person, a comment or a model explains in any text about the table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.answering.explained import is_explained
from tribal.answering.focus import Focus
from tribal_contracts import DocumentedColumn, TableDocument

_NAME = re.compile(r"[^\W\d][\w$]*")


@dataclass(frozen=True, slots=True)
class Explained:
    """Names that occur in the texts about each table."""

    names: Mapping[str, frozenset[str]]
    """By table: the case-folded names in its texts, definitions, decisions and memories."""

    @classmethod
    def of(cls, focus: Focus) -> Explained:
        """Collect the names for the main tables of a question."""
        return cls({name: _names(_texts(table, focus)) for name, table in focus.main.items()})

    def has(self, table: TableDocument, column: DocumentedColumn) -> bool:
        """Return whether a text says more about a column than its name does."""
        if is_explained(column.description, column.name, table.table):
            return True
        return column.name.casefold() in self.names.get(table.name, ())


def _texts(table: TableDocument, focus: Focus) -> Sequence[str | None]:
    defined = focus.context.defined
    metrics = [each for each in defined.metrics if table.name in each.tables]
    terms = [each for each in defined.terms if table.name in each.tables]
    queries = [each for each in defined.queries if table.name in each.tables]
    return [
        *([table.description.text] if table.description.source != "derived" else []),
        *(text for each in metrics for text in (each.description, each.expression, *each.filters, each.time_column)),
        *(text for each in terms for text in (each.definition, *each.columns)),
        *(text for each in queries for text in (*each.questions, each.sql)),
        *(item.text for about, item in focus.context.guidance if about == table.name),
    ]


def _names(texts: Sequence[str | None]) -> frozenset[str]:
    return frozenset(found[0].casefold() for text in texts if text for found in _NAME.finditer(text))
