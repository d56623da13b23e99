"""Searches a collection's passages by words and by meaning, and says how well each one fits."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribal.naming import index_terms
from tribal.naming.tokens import content_words, query_terms
from tribal.ports.passages import PassageIndex, PassageMatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

RETRIEVED = 5
"""Passages that are compared with a question, and that an answer may use. Source: docs/contracts.md, Chat."""
_CANDIDATES = 30
_MEANING = 0.5
"""The share of the words' evidence that counts however far the meaning is. By judgement."""


_FEWEST = 200
"""A collection with fewer passages counts as one of so many: in a short one, a word that is missing means little."""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage with the evidence that it is about a question."""

    match: PassageMatch
    evidence: float
    """0 to 1: how much of the question's words it has, weighted by how rare they are, and how near its meaning is."""
    matched: frozenset[str]
    """The terms of the question in it."""
    path: str | None = None
    """Of its file, in the archive that it was uploaded in."""


def find_passages(
    question: str, vector: NDArray[Any] | None, index: PassageIndex, sources: Collection[str]
) -> list[RankedPassage]:
    """The passages with the most evidence, best first.

    Args:
        question: as it was asked.
        vector: of the question, by the model of the index; `None` to search by words alone.
        index: the collection's index.
        sources: ids of the files that may be used.
    """
    terms = query_terms(content_words(question))
    found = {_key(each): each for each in index.containing(terms, sources, _CANDIDATES)}
    near: dict[tuple[str, int], PassageMatch] = {}
    if vector is not None:
        near = {_key(each): each for each in index.nearest(vector, sources, _CANDIDATES)}
    rarity = _rarity(terms, index)
    ranked = []
    for key, match in {**found, **near}.items():
        matched = frozenset(terms) & frozenset(index_terms(match.passage.text))
        similarity = 0.0 if match.distance is None else max(0.0, 1 - match.distance / 2)
        ranked.append((key, RankedPassage(match, _evidence(matched, rarity, similarity), matched)))
    ranked.sort(key=lambda each: (-each[1].evidence, each[0]))
    return [each for _, each in ranked[:RETRIEVED]]


def nearest_passages(vector: NDArray[Any], index: PassageIndex, sources: Collection[str]) -> list[RankedPassage]:
    """The passages that are nearest in meaning, nearest first."""
    matches = index.nearest(vector, sources, RETRIEVED)
    return [RankedPassage(each, max(0.0, 1 - (each.distance or 0.0) / 2), each.matched) for each in matches]


def _rarity(terms: Sequence[str], index: PassageIndex) -> Mapping[str, float]:
    counts = index.term_counts(terms)
    total = max(index.pointer.passages, _FEWEST)
    return {term: math.log(1 + (total + 1) / (counts.get(term, 0) + 1)) for term in terms}


def _evidence(matched: Collection[str], rarity: Mapping[str, float], similarity: float) -> float:
    total = sum(rarity.values())
    if not total:
        return similarity
    coverage = sum(rarity[term] for term in matched) / total
    return min(1.0, coverage**2 * (_MEANING + (1 - _MEANING) * min(1.0, 2 * similarity)))


def _key(match: PassageMatch) -> tuple[str, int]:
    return match.source_id, match.passage.number
