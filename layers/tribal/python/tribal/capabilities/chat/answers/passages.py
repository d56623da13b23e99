"""Search the passages of a collection by words and by meaning, and rate how well each one fits."""

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
"""Number of passages that are compared with a question and that an answer may use. Source: docs/contracts.md, Chat."""
_CANDIDATES = 30
_MEANING = 0.5
"""Share of the word evidence that counts even if the meaning differs. By judgement."""


_FEWEST = 200
"""Smaller collections are treated as this large, because a missing word means little in a few passages."""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage and the evidence that it is about the question."""

    match: PassageMatch
    evidence: float
    """From 0 to 1: the matching words of the question, weighted by rarity, and the closeness in meaning."""
    matched: frozenset[str]
    """Terms of the question that occur in the passage."""
    path: str | None = None
    """Path of its file in the uploaded archive."""


def find_passages(
    question: str, vector: NDArray[Any] | None, index: PassageIndex, sources: Collection[str]
) -> list[RankedPassage]:
    """Return the passages with the most evidence, best first.

    Args:
        question: the question as typed.
        vector: embedding of the question by the index's model; `None` to search by words alone.
        index: the collection's index.
        sources: IDs of the files that may be used.
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
    """Return the passages that are closest in meaning, closest first."""
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
