"""The result of an exam: many questions put to the documentation. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.answering.open_gaps import GapCategory, GapSeverity, SessionScope
from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.shape import ContentHash, Count, Text, UnitInterval, Unset, optional
from tribal_contracts.interrogation.sessions import Score, SessionId
from tribal_contracts.interrogation.times import DateTime

MAX_QUESTIONS = 5_000
"""Of one exam."""

ExamVerdict = Literal["answered", "blocked", "not_asked"]


class BlockingGap(CamelContract):
    """A gap that keeps a question from being answered."""

    target: str
    category: GapCategory
    severity: GapSeverity


class ExamQuestion(CamelContract):
    """One question of an exam."""

    question: str
    session_id: SessionId | Unset = optional("Its session, if sessions are kept.")
    verdict: ExamVerdict
    completeness_score: Score
    blocked_by: list[BlockingGap]


class ExamGap(CamelContract):
    """A gap, and the questions that it blocks."""

    target: str
    category: GapCategory
    severity: GapSeverity
    description: Text
    question_count: Count
    questions: list[str]


class ExamBaseline(CamelContract):
    """The difference from an earlier exam."""

    id: SessionId
    newly_answered: list[str]
    newly_failing: list[str]


class ExamResult(CamelContract):
    """How many questions the documentation answers. File: `sessions/exam_{id}_{start}.json`."""

    id: SessionId
    created_at: DateTime
    manifest_hash: ContentHash
    total: Count
    answered: Count
    not_asked: Count
    share: UnitInterval
    """`answered` of the questions that were asked."""
    questions: Annotated[list[ExamQuestion], Field(max_length=MAX_QUESTIONS)]
    gaps: list[ExamGap]
    """Those that block most questions first."""
    baseline: ExamBaseline | Unset = optional("The difference from an earlier exam, if one was named.")
    owner: str | Unset = optional("Who took it.")
    scope: SessionScope | Unset = optional("What its questions may read; without it, everything.")
