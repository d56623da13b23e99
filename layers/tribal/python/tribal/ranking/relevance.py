"""Relevance of one table, regardless of the other candidates, so that scores are comparable across questions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from tribal.ranking.calibration import KnownTopic, NeededTable
from tribal.ranking.weights import WEIGHTS, Weights

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
    """The evidence that a question needs one table."""

    covered: float
    """Share of the question's words that it contains, 0 to 1."""
    words: int
    """How many words the question has."""
    name: float
    """Cosine similarity between the question and its name."""
    tables: int
    """How many tables there are: among more of them, more are like a question by chance."""
    keys: int = 0
    """How many other tables declared keys join to it."""
    is_called: bool = False
    """Whether words of the question are its name."""
    named: float = 0.0
    """How certain it is that the question names it, 0 to 1."""


def relevance(evidence: Evidence, needed: NeededTable) -> float:
    """The probability that a question needs a table; of a named one, how certain it is that it is meant."""
    sum_of_evidence = (
        needed.constant
        + needed.words * math.log1p(evidence.words)
        + needed.covered * evidence.covered
        + needed.name * evidence.name
        + needed.tables * math.log(max(evidence.tables, 1))
        + needed.keys * math.log1p(evidence.keys)
        + needed.called * evidence.is_called
    )
    return round(max(evidence.named, _probability(sum_of_evidence)), SCORE_DIGITS)


@dataclass(frozen=True, slots=True)
class TopicEvidence:
    """The evidence that a question is about some databases at all."""

    covered: float
    """The best share of the question's words that one of the first tables contains, 0 to 1."""
    table: float
    """The best cosine similarity between the question and a table."""
    column: float
    """The best one between the question and a column."""
    tables: int
    """How many tables there are."""


def topic_probability(evidence: TopicEvidence, topic: KnownTopic) -> float:
    """The probability that a question is about the databases."""
    sum_of_evidence = (
        topic.constant
        + topic.covered * evidence.covered
        + topic.table * evidence.table
        + topic.column * evidence.column
        + topic.tables * math.log(max(evidence.tables, 1))
    )
    return round(_probability(sum_of_evidence), SCORE_DIGITS)


def _probability(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def non_increasing(scores: Iterable[float]) -> list[float]:
    """Cap each score of a ranking at the one before it."""
    result: list[float] = []
    for score in scores:
        result.append(min(score, result[-1]) if result else score)
    return result


def _rarity(held_by: int, tables: int) -> float:
    return math.log(1.0 + (max(tables, held_by) - held_by + 0.5) / (held_by + 0.5))
