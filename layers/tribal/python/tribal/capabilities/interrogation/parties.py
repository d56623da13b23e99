"""The two parties of an interrogation, and the results of their steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from tribal.ports.models.chains import Cost
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.interrogation.sessions import Contradiction, Gap, InterrogationSession


@dataclass(frozen=True, slots=True)
class Question:
    """The next question."""

    text: str
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class WitnessAnswer:
    """The answer of a witness."""

    text: str
    """Text of the answer; may be empty."""
    witness: str
    """`{provider}:{model}`, such as `documentation:1`."""
    sources: tuple[AnswerSource, ...] = ()
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The gaps that are open after an answer, including earlier gaps."""

    gaps: tuple[Gap, ...]
    can_continue: bool
    """Whether another question could close a gap of medium or high severity."""
    detective: str
    """`{provider}:{model}`, such as `rules:1`."""
    completeness_score: int | None = None
    """Score of the detective; `None` to compute it from the gaps."""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Audit:
    """A detective's verdict on a whole session. Its score and remaining gaps are computed from the last answer."""

    summary: str
    """Summary in Markdown."""
    contradictions: tuple[Contradiction, ...] = ()
    cost: Cost = field(default_factory=Cost)


class Detective(Protocol):
    """Asks questions and judges the answers.

    A step depends only on the session and its arguments, so that another process can take the next step.

    Raises:
        DetectiveUnreachable: from every method, when no provider can be reached.
        BudgetExhausted: from every method, when a spending limit is reached.
    """

    def next_question(self, session: InterrogationSession) -> Question:
        """Return the next question for a session; never blank."""
        ...

    def analyse(self, session: InterrogationSession, question: str, answer: WitnessAnswer) -> Analysis:
        """Return the open gaps after an answer that is not in the session yet."""
        ...

    def audit(self, session: InterrogationSession) -> Audit:
        """Audit a session after its last answer. It has at least one answer."""
        ...


class Witness(Protocol):
    """Answers from the documentation.

    Raises:
        WitnessUnreachable: when it does not answer in time, even after a retry.
        BudgetExhausted: when a spending limit is reached.
    """

    def answer(self, session: InterrogationSession, question: str) -> WitnessAnswer:
        """Answer a question, without regard to earlier questions."""
        ...
