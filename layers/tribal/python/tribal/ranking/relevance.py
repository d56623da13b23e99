"""Relevance of one table, from its own words and vector alone, so that scores are comparable across questions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from tribal.ranking.weights import WEIGHTS, Weights

SCORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question: the terms that can stand for it, each with a strength from 0 to 1."""

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


def evidence(covered: float, cosine: float | None, weights: Weights = WEIGHTS) -> float:
    """Combine both signals into a certainty in [0, 1]; either alone suffices, and neither lowers the other."""
    span = weights.cosine_ceiling - weights.cosine_floor
    alike = 0.0 if cosine is None else min(max((cosine - weights.cosine_floor) / span, 0.0), 1.0)
    certainty = 1.0 - (1.0 - weights.covered * min(max(covered, 0.0), 1.0)) * (1.0 - weights.alike * alike)
    return round(certainty, SCORE_DIGITS)


def non_increasing(scores: Iterable[float]) -> list[float]:
    """Cap each score of a ranking at the one before it."""
    result: list[float] = []
    for score in scores:
        result.append(min(score, result[-1]) if result else score)
    return result


def _rarity(held_by: int, tables: int) -> float:
    return math.log(1.0 + (max(tables, held_by) - held_by + 0.5) / (held_by + 0.5))
