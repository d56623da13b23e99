"""The law of scope: a question must be about the content of the collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.answering.answer import OFF_TOPIC
from tribal.capabilities.chat.laws.verdicts import APPROVED, LawVerdict

LEAST_EVIDENCE = 0.17
"""Minimum evidence for a question to be about a passage. Measured by `python -m bench.chat`."""
_TUTOR_REASON = "This question is not about anything in this collection, so it was not answered."


class NothingRetrieved(Exception):
    """There is nothing to compare the question with, so the law of scope refuses it."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """How close the content of a collection is to a question."""

    topic: float = 0.0
    """Probability that the question is about the documentation, 0 to 1; 1 if it names a part of it."""
    passage: float = 0.0
    """Evidence of the best passage, 0 to 1."""
    distance: float | None = None
    """Smallest squared L2 distance of a passage; `None` if none was retrieved."""


def scope_by_distance(found: Sequence[Relevance], threshold: float) -> LawVerdict:
    """Check whether a passage is closer than the threshold. Source: chat specification, 2.

    Args:
        found: relevance of the question and, for a follow-up, also of it combined with the previous question.
        threshold: squared L2 distance of unit vectors, exclusive.

    Raises:
        NothingRetrieved: when no passage was retrieved.
    """
    distances = [each.distance for each in found if each.distance is not None]
    if not distances:
        raise NothingRetrieved("No passage was found to compare the question with.")
    return APPROVED if min(distances) < threshold else LawVerdict(False, _TUTOR_REASON)


def scope_by_relevance(found: Sequence[Relevance], threshold: float, *, asks_what_exists: bool) -> LawVerdict:
    """Check whether a question is about the documentation or about a passage.

    Args:
        found: relevance of the question and, for a follow-up, also of it combined with the previous question.
        threshold: minimum probability that the question is about the documentation, inclusive.
        asks_what_exists: whether the question asks what is documented, which is always in scope.
    """
    is_known = any(each.topic >= threshold or each.passage >= LEAST_EVIDENCE for each in found)
    return APPROVED if asks_what_exists or is_known else LawVerdict(False, OFF_TOPIC)
