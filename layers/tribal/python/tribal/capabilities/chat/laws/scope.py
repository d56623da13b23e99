"""The law of scope: a question must be about what the collection has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.capabilities.chat.laws.verdicts import APPROVED, LawVerdict

LEAST_RELEVANCE = 0.17
"""The relevance from which a question is about what is documented. Measured by `python -m bench.chat`."""
_TUTOR_REASON = "This is not about the material of this collection, so it is not answered here."
_CATALOG_REASON = "This is not about anything that is documented here."


class NothingRetrieved(Exception):
    """There is nothing to compare a question with, so the law of scope refuses it."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """How close the collection comes to a question."""

    table: float = 0.0
    """The best table's relevance, 0 to 1."""
    passage: float = 0.0
    """The best passage's evidence, 0 to 1."""
    distance: float | None = None
    """The smallest squared L2 distance of a passage; `None` if none was retrieved."""


def scope_by_distance(found: Sequence[Relevance], threshold: float) -> LawVerdict:
    """Whether a passage is nearer than the threshold. Source: chat specification, 2.

    Args:
        found: for the question alone and, if it follows another one, for both together.
        threshold: squared L2 distance of unit vectors, exclusive.

    Raises:
        NothingRetrieved: when no passage was retrieved.
    """
    distances = [each.distance for each in found if each.distance is not None]
    if not distances:
        raise NothingRetrieved("no passage was retrieved")
    return APPROVED if min(distances) < threshold else LawVerdict(False, _TUTOR_REASON)


def scope_by_relevance(found: Sequence[Relevance], threshold: float, *, asks_what_exists: bool) -> LawVerdict:
    """Whether a table or a passage is relevant enough.

    Args:
        found: for the question alone and, if it follows another one, for both together.
        threshold: 0 to 1, inclusive.
        asks_what_exists: whether the question asks what is documented, which is always in scope.
    """
    best = max((max(each.table, each.passage) for each in found), default=0.0)
    return APPROVED if asks_what_exists or best >= threshold else LawVerdict(False, _CATALOG_REASON)
