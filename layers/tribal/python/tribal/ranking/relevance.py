"""Relevance of one table, regardless of the other candidates, so that scores are comparable across questions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from tribal.ranking.weights import WEIGHTS, Certainty, Weights

SCORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question: the terms that match it, each with a weight from 0 to 1."""

    terms: Mapping[str, float]

    def matched(self, terms: Set[str]) -> float:
        """How well a table that contains these terms matches the word, 0 to 1."""
        return max((strength for term, strength in self.terms.items() if term in terms), default=0.0)


def coverage(
    words: Sequence[Word], matched: Set[str], counts: Mapping[str, int], tables: int, weights: Weights = WEIGHTS
) -> float:
    """Share of a question's words that a table contains; rare words weigh more.

    Args:
        words: the words of the question.
        matched: the terms of the question that the table contains.
        counts: the number of tables that contain each term.
        tables: the number of all tables.
    """
    total = gained = 0.0
    for word in words:
        held_by = max((counts.get(term, 0) for term in word.terms), default=0)
        weight = _rarity(max(held_by, 1), tables) * (1.0 if held_by else weights.unknown_word)
        total += weight
        gained += weight * word.matched(matched)
    return gained / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for one table."""

    covered: float
    """Share of the question's words that it contains, 0 to 1."""
    words: int
    """How many words the question has."""
    name: float
    """Cosine similarity between the question and its name."""
    tables: int
    """How many tables there are: among more of them, more are like a question by chance."""
    named: float = 0.0
    """How certain it is that the question names it, 0 to 1."""


def relevance(evidence: Evidence, certainty: Certainty = WEIGHTS.certainty) -> float:
    """How likely a table is right, in [0, 1]; a table that is named is."""
    evidence_sum = (
        certainty.constant
        + certainty.words * math.log1p(evidence.words)
        + certainty.covered * evidence.covered
        + certainty.name * evidence.name
        + certainty.tables * math.log(max(evidence.tables, 1))
    )
    return round(max(evidence.named, 1.0 / (1.0 + math.exp(-evidence_sum))), SCORE_DIGITS)


def non_increasing(scores: Iterable[float]) -> list[float]:
    """Cap each score of a ranking at the one before it."""
    result: list[float] = []
    for score in scores:
        result.append(min(score, result[-1]) if result else score)
    return result


def _rarity(held_by: int, tables: int) -> float:
    return math.log(1.0 + (max(tables, held_by) - held_by + 0.5) / (held_by + 0.5))
