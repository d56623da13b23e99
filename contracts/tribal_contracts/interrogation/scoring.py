"""Scores of a session, and when its detective has to ask again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tribal_contracts.answering.open_gaps import GapSeverity
from tribal_contracts.interrogation.sessions import Gap

_CONTRADICTION_PENALTY = 10
_GAP_PENALTIES: dict[GapSeverity, int] = {"high": 10, "medium": 5, "low": 2}
_INCOMPLETENESS: dict[GapSeverity, int] = {"high": 40, "medium": 15, "low": 5}
"""By judgement: one high gap alone means that the hypothesis cannot be answered."""


def consistency_score(open_gaps: Iterable[Gap], contradictions: int) -> int:
    """How consistent a session is, 0 to 100, by the gaps of its last pair. Source: data model, 5."""
    penalty = sum(_GAP_PENALTIES[gap.severity] for gap in open_gaps)
    return max(0, 100 - _CONTRADICTION_PENALTY * contradictions - penalty)


def completeness_score(open_gaps: Iterable[Gap]) -> int:
    """How complete the answers are, 0 to 100; 100 only without any gap."""
    return max(0, 100 - sum(_INCOMPLETENESS[gap.severity] for gap in open_gaps))


def requires_follow_up(open_gaps: Sequence[Gap], can_close: Callable[[Gap], bool] = lambda _: True) -> bool:
    """Whether to ask again: a medium or high gap is open that another question could close."""
    return any(gap.severity != "low" and can_close(gap) for gap in open_gaps)
