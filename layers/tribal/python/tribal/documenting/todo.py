"""Rank what to document first. Reads only the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from tribal.documenting.files import table_documents
from tribal.identity import locations
from tribal.identity.targets import WORD, current_gaps, parse_target
from tribal.ports import ObjectStore
from tribal.rendering.gaps import Gaps, annotation_lines, gaps, needs_description, unclear
from tribal_contracts import DescriptionSource, TableDocument
from tribal_contracts.answering.open_gaps import GapQuestion, OpenGap

# A judgement: a table's description helps with all its columns, and clear names can be guessed.
_COLUMN, _UNCLEAR_COLUMN = 0.1, 0.5


@dataclass(frozen=True, slots=True)
class Blocked:
    """The questions that are not answered because something is not documented."""

    count: int = 0
    questions: tuple[str, ...] = ()
    """Of those, the texts that may be shown; without those of marks."""
    lacks: tuple[str, ...] = ()
    """The missing facts that they report, each once; reasons of marks are excluded."""
    marks: tuple[GapQuestion, ...] = ()
    """The questions that may be shown and whose answers were marked as wrong."""

    @classmethod
    def by(cls, gaps: Iterable[OpenGap]) -> Blocked:
        """The questions that gaps of one target block."""
        found = list(gaps)
        shown = [each for gap in found for each in gap.questions if each.key in gap.blocked]
        unmarked = [each for each in shown if each.mark is None]
        return cls(
            count=len(set().union(*(gap.blocked for gap in found))),
            questions=tuple(dict.fromkeys(each.text for each in unmarked)),
            lacks=tuple(dict.fromkeys(each.description for each in unmarked)),
            marks=tuple(each for each in shown if each.mark is not None),
        )


NOTHING_BLOCKED = Blocked()


@dataclass(frozen=True, slots=True)
class BlockedWord:
    """A word of questions that nothing documented explains."""

    word: str
    blocked: Blocked


@dataclass(frozen=True, slots=True)
class Todo:
    """A table or column that lacks a description, or one that answers questions, and its importance."""

    database: str
    table: str
    column: str | None
    worth: float
    """Only the order matters."""
    tables_that_refer: int
    place: str
    """`schema.table`, as in the annotations file."""
    owner: str | None = None
    blocked: Blocked = NOTHING_BLOCKED
    described_by: DescriptionSource | None = None
    """The source of its description, if it has one."""


@dataclass(frozen=True, slots=True)
class TodoList:
    """What to document first, most important first, and the total number."""

    items: tuple[Todo, ...]
    total: int
    words: tuple[BlockedWord, ...] = ()
    """Words to define as terms, those that block most questions first."""

    def lines(self) -> dict[str, str]:
        """For each annotations file, the lines to fill in; texts that people wrote are already there."""
        found: dict[str, dict[str, Gaps]] = {}
        for item in self.items:
            if item.described_by == "human":
                continue
            places = found.setdefault(locations.annotations_file(item.database), {})
            gap = places.get(item.place) or Gaps(item.place, table=False, columns=())
            if item.column is None:
                places[item.place] = replace(gap, table=True)
            else:
                places[item.place] = replace(gap, columns=(*gap.columns, item.column))
        return {file: annotation_lines(places.values()) for file, places in found.items()}


def todo(store: ObjectStore, limit: int, gaps: Sequence[OpenGap] = ()) -> TodoList:
    """Rank what is not described, or blocks questions: by these, by referring tables and by the clarity of names.

    Raises:
        ManifestError: when nothing is documented yet, or a document is missing or cannot be read.
    """
    by_table = gaps_by_table(gaps)
    items = (
        item
        for document in table_documents(store)
        for item in missing(document, blocked_by_column(document, by_table.get(document.name, ())))
    )
    return rank(items, limit, blocked_words(gaps))


def gaps_by_table(gaps: Iterable[OpenGap]) -> Mapping[str, Sequence[OpenGap]]:
    """The gaps of each table and its columns, by the table's name."""
    found: defaultdict[str, list[OpenGap]] = defaultdict(list)
    for gap in gaps:
        target = parse_target(gap.target)
        if target is not None:
            found[str(target.table)].append(gap)
    return found


def blocked_words(gaps: Iterable[OpenGap]) -> tuple[BlockedWord, ...]:
    """The words that block questions, most of them first."""
    by_word: defaultdict[str, list[OpenGap]] = defaultdict(list)
    for gap in gaps:
        if gap.target.startswith(WORD):
            by_word[gap.target.removeprefix(WORD)].append(gap)
    words = (BlockedWord(word, Blocked.by(some)) for word, some in by_word.items())
    found = [each for each in words if each.blocked.count]
    return tuple(sorted(found, key=lambda each: (-each.blocked.count, each.word)))


def rank(items: Iterable[Todo], limit: int, words: Sequence[BlockedWord] = ()) -> TodoList:
    """The most important items, and as many words.

    Each further item of a table counts less, and two of one table follow each other only if no other table is left.
    """
    by_table: defaultdict[str, list[Todo]] = defaultdict(list)
    for item in sorted(items, key=lambda item: (-item.blocked.count, -item.worth, item.column or "")):
        by_table[item.table].append(item)
    ranked = sorted(
        (
            (-item.blocked.count, -item.worth / place, item.table, place, item)
            for some in by_table.values()
            for place, item in enumerate(some, 1)
        ),
    )
    total, listed = len(ranked), list[Todo]()
    while ranked and len(listed) < limit:
        last = listed[-1].table if listed else None
        alike = (at for at, each in enumerate(ranked) if each[0] == ranked[0][0] and each[2] != last)
        listed.append(ranked.pop(next(alike, 0))[-1])
    return TodoList(tuple(listed), total, tuple(words[:limit]))


def missing(document: TableDocument, blocked: Mapping[str | None, Blocked] = MappingProxyType({})) -> Iterator[Todo]:
    """A table's missing descriptions, and what of it blocks questions.

    Missing descriptions weigh more the more tables refer to the table.

    Args:
        document: the table's document.
        blocked: the questions that the table, under `None`, and its columns block.
    """
    gap = gaps(document)
    refer = {relation.name for relation in document.relations if relation.relationship == "referenced_by"}
    refer.discard(document.name)
    weight = 1 + len(refer)

    def item(column: str | None, worth: float, source: DescriptionSource | None = None) -> Todo:
        return Todo(
            document.database,
            document.name,
            column,
            weight * worth,
            len(refer),
            gap.place,
            document.owner,
            blocked.get(column, NOTHING_BLOCKED),
            source,
        )

    needed = {column.name for column in document.columns if needs_description(column)}
    undescribed = [name for name in gap.columns if name in needed]
    if gap.table:
        yield item(None, 1.0)
    for name in undescribed:
        yield item(name, _COLUMN + (_UNCLEAR_COLUMN - _COLUMN) * unclear(name))
    sources: dict[str | None, DescriptionSource | None] = {
        column.name: column.description.source if column.description.text else None for column in document.columns
    }
    sources[None] = document.description.source
    listed = {*undescribed, *([None] if gap.table else [])}
    for column in blocked:
        if column not in listed:
            yield item(column, 0.0, sources[column])


def blocked_by_column(document: TableDocument, open_gaps: Iterable[OpenGap]) -> dict[str | None, Blocked]:
    """The questions that a table, under `None`, and its columns block, as far as the document has not changed since."""
    by_column: defaultdict[str | None, list[OpenGap]] = defaultdict(list)
    for column, gap in current_gaps(document, open_gaps):
        by_column[column].append(gap)
    found = {column: Blocked.by(some) for column, some in by_column.items()}
    return {column: blocked for column, blocked in found.items() if blocked.count}
