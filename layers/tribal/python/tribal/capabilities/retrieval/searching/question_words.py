"""Parses a question against an index: which of its words occur in tables, and how to read the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.capabilities.retrieval.searching.query import (
    MAX_RELATED,
    MAX_WHOLES,
    Concept,
    read_question,
    search_terms,
    words_to_find,
)
from tribal.capabilities.retrieval.searching.table_map import TableMap, table_map
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.naming import broader, may_be_part, singular, split_identifier, stem, synonyms, with_part
from tribal.ports import IndexFilter
from tribal.ranking.character_grams import GramIndex
from tribal.ranking.named import NamedTables
from tribal.ranking.relevance import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray


_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question with its words looked up in the index."""

    concepts: tuple[Concept, ...]
    words: tuple[Word, ...]
    counts: Mapping[str, int]
    """The number of tables with each term, among all that the caller may see."""
    tables: int
    """How many tables the caller may see."""
    missing: tuple[str, ...]
    """Words that occur in no searched table, as written; misspelt words are corrected."""
    unknown: tuple[str, ...]
    """Words that occur in no table that the caller may see, as written."""

    @property
    def spelt(self) -> list[str]:
        """Its words in their correct spelling."""
        return [concept.spelt for concept in self.concepts]

    @property
    def is_known(self) -> bool:
        """Whether any table that the caller may see contains any of its words."""
        return any(
            concept.token not in self.unknown or concept.correction or concept.related or concept.wholes
            for concept in self.concepts
        )


def parse_question(text: str, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> ParsedQuestion:
    """Parse a question against the tables that pass a filter."""
    everywhere, index_filter = opened.index_filter(IndexFilter(scope=toolbox.scope)), opened.index_filter(where)
    concepts = read_question(text)
    otherwise = _related_words(concepts, table_map(where, opened, toolbox))

    def count(concepts: Sequence[Concept], where: IndexFilter) -> Mapping[str, int]:
        others = [stem(word) for concept in concepts for words in otherwise[concept.token] for word in words]
        return toolbox.index.term_counts([*search_terms(concepts), *others], "table", where)

    counts = count(concepts, everywhere)
    unknown = tuple(concept.token for concept in concepts if not _occurs(concept, counts))
    names = table_names(opened, toolbox).named
    misspelt = {word: right for word in unknown if (right := names.corrected(word))}
    wholes = {word: wholes for word in unknown if word not in misspelt and (wholes := _wholes(word, opened, toolbox))}
    if misspelt or wholes:
        concepts = [
            replace(concept.corrected(misspelt.get(concept.token)), wholes=wholes.get(concept.token, ()))
            for concept in concepts
        ]
        counts = count(concepts, everywhere)
        concepts = [
            replace(concept, wholes=tuple(term for term in concept.wholes if term in counts)) for concept in concepts
        ]
    searched = counts if index_filter == everywhere else count(concepts, index_filter)
    missing = frozenset(concept.token for concept in concepts if not _occurs(concept, searched))
    concepts = [_read_as(concept, *otherwise[concept.token], concept.token in missing) for concept in concepts]
    return ParsedQuestion(
        concepts=tuple(concepts),
        words=tuple(words_to_find(concepts, counts)),
        counts=counts,
        tables=len(opened.tables),
        missing=tuple(concept.token for concept in concepts if concept.token in missing),
        unknown=unknown,
    )


def _wholes(word: str, opened: OpenIndex, toolbox: Toolbox) -> _Words:
    """The terms of longer words that contain a word, of all tables; their counts say which the caller may see."""
    if not may_be_part(word):
        return ()
    words = toolbox.derived.get(opened.generation, ("long words",), lambda: tuple(toolbox.index.long_words()))
    return tuple(with_part(word, words)[:MAX_WHOLES])


def _related_words(concepts: Sequence[Concept], searched: TableMap) -> dict[str, tuple[_Words, _Words]]:
    """By word, synonyms and broader words in names of tables; none if a table is named after the word itself."""

    def named(words: Iterable[str]) -> _Words:
        # Not by stem: a purchase is not a purchaser.
        return tuple(word for word in words if singular(word) in searched.name_words)

    return {
        concept.token: (named(synonyms(concept.token)), named(broader(concept.token)))
        if searched.name_terms.isdisjoint(search_terms([concept]))
        else ((), ())
        for concept in concepts
    }


def _read_as(concept: Concept, same: _Words, wider: _Words, is_missing: bool) -> Concept:
    """Add synonyms to a word, and broader words too if it occurs nowhere."""
    if concept.correction is not None:
        return concept
    return replace(concept, related=(*same, *(wider if is_missing else ()))[:MAX_RELATED])


def _occurs(concept: Concept, counts: Mapping[str, int]) -> bool:
    return any(counts.get(term) for term in search_terms([concept]))


@dataclass(frozen=True, slots=True, eq=False)
class TableNames:
    """Tables by their names, numbered in order of name."""

    grams: GramIndex
    named: NamedTables
    record_ids: NDArray[Any]
    """Record ids by number."""


def table_names(opened: OpenIndex, toolbox: Toolbox) -> TableNames:
    """The names of all tables that the caller may see."""

    def read() -> TableNames:
        return TableNames(
            GramIndex([split_identifier(entry.table) for entry in opened.tables]),
            NamedTables([(entry.database, entry.schema, entry.table) for entry in opened.tables]),
            np.array([entry.record_id for entry in opened.tables], dtype=np.int64),
        )

    return toolbox.derived.get(opened.generation, ("table names", toolbox.scope), read)
