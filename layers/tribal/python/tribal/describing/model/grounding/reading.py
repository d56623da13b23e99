"""Reads answers: fills in handles, and keeps the sentences that break no rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tribal.describing.model.grounding.known_names import KnownNames
from tribal.describing.model.questions import Question
from tribal_contracts import DroppedSentence


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence that breaks a rule."""

    subject: str
    """Name of the column; empty for the text, `title` for the title of a domain."""
    rule: str
    """Such as `figure`; one of `RULES`."""
    sentence: str
    """As the model wrote it: goes nowhere but into the repair."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is kept of an answer, and what is not."""

    title: str
    text: str
    """Empty if nothing is kept."""
    columns: Mapping[str, str]
    """By column; those of which nothing is kept are not here."""
    faults: tuple[Fault, ...] = ()
    """Sentences that broke a rule; none of them is in the texts."""

    @property
    def needs_repair(self) -> bool:
        """Whether a repair may win back what broke a rule."""
        return bool(self.faults)

    @property
    def dropped(self) -> list[DroppedSentence]:
        """The faults as they are recorded, without the sentences."""
        return [DroppedSentence(subject=fault.subject, rule=fault.rule) for fault in self.faults]


def read_answer(question: Question, value: Mapping[str, Any], known: KnownNames | None) -> Reading | None:
    """What is kept of an answer, safe to publish as it is; `None` if the answer does not follow the schema.

    Subjects that the question did not ask for are passed over.
    """
    raise NotImplementedError


def repair_part(question: Question, reading: Reading) -> str:
    """The part of the one request that asks for the faulty subjects again: `question.request(deadline, part)`."""
    raise NotImplementedError


def read_repair(
    question: Question, reading: Reading, value: Mapping[str, Any], known: KnownNames | None
) -> Reading | None:
    """The first reading with the repaired subjects in their place; `None` if the answer does not follow the schema.

    A subject that the repair leaves empty, or says worse, keeps what the first answer had of it.
    """
    raise NotImplementedError
