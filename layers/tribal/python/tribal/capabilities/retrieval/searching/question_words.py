"""Reading a question beside an index: which of its words tables have, and what the others are read as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tribal.capabilities.retrieval.searching.query import (
    MAX_RELATED,
    Concept,
    read_question,
    search_terms,
    words_to_find,
)
from tribal.capabilities.retrieval.searching.table_map import TableMap, table_map
from tribal.capabilities.retrieval.searching.table_names import table_names
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.naming import broader, singular, stem, synonyms
from tribal.ports import IndexFilter
from tribal.ranking.relevance import Word

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it is read."""

    concepts: tuple[Concept, ...]
    words: tuple[Word, ...]
    counts: Mapping[str, int]
    """The number of tables that contain each term, of all that the caller may see."""
    tables: int
    """How many tables the caller may see."""
    missing: tuple[str, ...]
    """Its words that no table has of those that are searched, as they are written; misspelt ones are read otherwise."""
    unknown: tuple[str, ...]
    """Its words that no table has of all that the caller may see, as they are written."""

    @property
    def spelt(self) -> list[str]:
        """Its words, corrected."""
        return [concept.spelt for concept in self.concepts]

    @property
    def is_known(self) -> bool:
        """Whether any table that the caller may see has anything of it."""
        return any(
            concept.token not in self.unknown or concept.correction or concept.related for concept in self.concepts
        )


def read(text: str, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> Reading:
    """Read a question beside the tables that pass a filter."""
    everywhere, asked = opened.asked(IndexFilter(scope=toolbox.scope)), opened.asked(where)
    concepts = read_question(text)
    otherwise = _otherwise(concepts, table_map(where, opened, toolbox))

    def count(concepts: Sequence[Concept], where: IndexFilter) -> Mapping[str, int]:
        others = [stem(word) for concept in concepts for words in otherwise[concept.token] for word in words]
        return toolbox.index.term_counts([*search_terms(concepts), *others], "table", where)

    counts = count(concepts, everywhere)
    unknown = tuple(concept.token for concept in concepts if not _is_held(concept, counts))
    names = table_names(opened, toolbox).named
    misspelt = {word: right for word in unknown if (right := names.corrected(word))}
    if misspelt:
        concepts = [concept.corrected(misspelt.get(concept.token)) for concept in concepts]
        counts = count(concepts, everywhere)
    searched = counts if asked == everywhere else count(concepts, asked)
    missing = frozenset(concept.token for concept in concepts if not _is_held(concept, searched))
    concepts = [_read_as(concept, *otherwise[concept.token], concept.token in missing) for concept in concepts]
    return Reading(
        concepts=tuple(concepts),
        words=tuple(words_to_find(concepts, counts)),
        counts=counts,
        tables=len(opened.tables),
        missing=tuple(concept.token for concept in concepts if concept.token in missing),
        unknown=unknown,
    )


def _otherwise(concepts: Sequence[Concept], searched: TableMap) -> dict[str, tuple[_Words, _Words]]:
    """By word, the synonyms and broader words that tables are named after; none where one is named after the word."""

    def named(words: Iterable[str]) -> _Words:
        # Not by their stems: a purchase is no purchaser.
        return tuple(word for word in words if singular(word) in searched.name_words)

    return {
        concept.token: (named(synonyms(concept.token)), named(broader(concept.token)))
        if searched.name_terms.isdisjoint(search_terms([concept]))
        else ((), ())
        for concept in concepts
    }


def _read_as(concept: Concept, same: _Words, wider: _Words, is_missing: bool) -> Concept:
    """A word that some column has is read as its synonyms too, one that nothing has as what it is a kind of as well."""
    if concept.correction is not None:
        return concept
    return replace(concept, related=(*same, *(wider if is_missing else ()))[:MAX_RELATED])


def _is_held(concept: Concept, counts: Mapping[str, int]) -> bool:
    return any(counts.get(term) for term in search_terms([concept]))
