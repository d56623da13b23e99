"""The two parties of an interrogation, and what each of their steps returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from tribal.ports.models.chains import Cost
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.interrogation.sessions import Contradiction, Gap, InterrogationSession


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask next."""

    text: str
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class WitnessAnswer:
    """What the witness says."""

    text: str
    """May be empty."""
    witness: str
    """`{provider}:{model}`, such as `documentation:1`."""
    sources: tuple[AnswerSource, ...] = ()
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is still open after an answer, earlier gaps included."""

    gaps: tuple[Gap, ...]
    can_continue: bool
    """Whether another question could close a medium or high gap."""
    detective: str
    """`{provider}:{model}`, such as `rules:1`."""
    completeness_score: int | None = None
    """`None` to compute it from the gaps."""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Audit:
    """What a detective makes of a whole session; score and remaining gaps follow from it and the last pair."""

    summary: str
    """Markdown."""
    contradictions: tuple[Contradiction, ...] = ()
    cost: Cost = field(default_factory=Cost)


class Detective(Protocol):
    """Asks, and judges the answers.

    A step depends on nothing but the session and its arguments: another process may take the next one.

    Raises, from every method: `DetectiveUnreachable` when no provider is left, `BudgetExhausted`.
    """

    def next_question(self, session: InterrogationSession) -> Question:
        """What to ask after the pairs of the session; never blank."""
        ...

    def analyse(self, session: InterrogationSession, question: str, answer: WitnessAnswer) -> Analysis:
        """What is open after this answer, which is not yet in the session."""
        ...

    def audit(self, session: InterrogationSession) -> Audit:
        """The audit of a session with at least one pair, after its last answer."""
        ...


class Witness(Protocol):
    """Answers from what is documented.

    Raises: `WitnessUnreachable` when it does not answer within its timeout, one retry included; `BudgetExhausted`.
    """

    def answer(self, session: InterrogationSession, question: str) -> WitnessAnswer:
        """The answer to a question; depends on nothing else."""
        ...
