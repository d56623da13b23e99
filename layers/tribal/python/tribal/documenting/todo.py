"""Rank what to document first. Reads only the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tribal.documenting.files import table_documents
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.rendering.gaps import Gaps, annotation_lines, gaps, unclear
from tribal_contracts import DocumentedRelation, TableDocument

# A judgement: a table's description helps with all its columns, and clear names can be guessed.
_COLUMN, _UNCLEAR_COLUMN = 0.1, 0.5


@dataclass(frozen=True, slots=True)
class Todo:
    """A table or column without a description, and its importance."""

    database: str
    table: str
    column: str | None
    worth: float
    """Only the order matters."""
    tables_that_refer: int
    place: str
    """`schema.table`, as in the annotations file."""
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class TodoList:
    """What to document first, most important first, and the total number."""

    items: tuple[Todo, ...]
    total: int

    def lines(self) -> dict[str, str]:
        """For each annotations file, the lines to fill in."""
        found: dict[str, dict[str, Gaps]] = {}
        for item in self.items:
            places = found.setdefault(locations.annotations_file(item.database), {})
            gap = places.get(item.place) or Gaps(item.place, table=False, columns=())
            if item.column is None:
                places[item.place] = replace(gap, table=True)
            else:
                places[item.place] = replace(gap, columns=(*gap.columns, item.column))
        return {file: annotation_lines(places.values()) for file, places in found.items()}


def todo(store: ObjectStore, limit: int) -> TodoList:
    """Rank items without descriptions by the number of referring tables and the clarity of the name.

    Raises:
        ManifestError: when nothing is documented yet, or a document is missing or cannot be read.
    """
    return rank((item for document in table_documents(store) for item in missing(document, document.relations)), limit)


def rank(items: Iterable[Todo], limit: int) -> TodoList:
    """The most important items."""
    ranked = sorted(items, key=lambda item: (-item.worth, item.table, item.column or ""))
    return TodoList(tuple(ranked[:limit]), len(ranked))


def missing(document: TableDocument, relations: Iterable[DocumentedRelation]) -> Iterator[Todo]:
    """A table's missing descriptions; they weigh more the more tables in `relations` refer to it."""
    gap = gaps(document)
    refer = {relation.name for relation in relations if relation.relationship == "referenced_by"}
    refer.discard(document.name)
    weight = 1 + len(refer)

    def item(column: str | None, worth: float) -> Todo:
        return Todo(document.database, document.name, column, weight * worth, len(refer), gap.place, document.owner)

    if gap.table:
        yield item(None, 1.0)
    for name in gap.columns:
        yield item(name, _COLUMN + (_UNCLEAR_COLUMN - _COLUMN) * unclear(name))
