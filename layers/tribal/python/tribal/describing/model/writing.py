"""Asks a model questions until each is answered, smaller where an answer is cut, once more where it breaks a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tribal.describing.model.grounding import KnownNames, Reading, read_answer, read_repair, repair_part
from tribal.describing.model.questions import Question, halved, without_samples
from tribal.ports import LanguageModel, ModelAnswer, ModelFailure, ModelOutcome
from tribal_contracts import DroppedSentence, ModelUsage

_MALFORMED = "the model's answers were not of the shape that it was asked for"


@dataclass(slots=True)
class Written:
    """What a model wrote about one subject, or why it did not; usage is there either way."""

    title: str = ""
    text: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedSentence] = field(default_factory=list)
    from_samples: bool = False
    usage: ModelUsage = field(default_factory=ModelUsage)
    failure: ModelFailure | None = None


class Writer:
    """Writes about one subject.

    Args:
        model: is asked; it repeats by itself what may pass.
        known: the names of the catalog, which prose may use by handle alone.
        deadline_seconds: the longest that one call may take.
    """

    def __init__(self, model: LanguageModel, known: KnownNames | None, deadline_seconds: float) -> None:
        self._model = model
        self._known = known
        self._deadline_seconds = deadline_seconds
        self._written = Written()

    def write(self, questions: Sequence[Question]) -> Written:
        """Ask every question; the first failure that nothing can be done about ends it."""
        left = list(questions)
        while left and self._written.failure is None:
            left[:0] = self._answer(left.pop(0))
        return self._written

    def _answer(self, question: Question) -> list[Question]:
        """Take in the answer, or return the questions to ask instead."""
        outcome = self._ask(question)
        if isinstance(outcome, ModelFailure) and outcome.kind in ("truncated", "too_long"):
            smaller = _smaller(question, outcome)
            if smaller:
                return smaller
        reading = self._reading(question, outcome)
        if reading is None and (isinstance(outcome, ModelAnswer) or outcome.kind == "malformed"):
            outcome = self._ask(question)
            reading = self._reading(question, outcome)
        if reading is None:
            malformed = ModelFailure("malformed", _MALFORMED)
            self._written.failure = outcome if isinstance(outcome, ModelFailure) else malformed
            return []
        self._take(question, self._repaired(question, reading) if reading.needs_repair else reading)
        return []

    def _ask(self, question: Question, part: str | None = None) -> ModelOutcome:
        outcome = self._model.ask(question.request(self._deadline_seconds, part))
        self._written.usage += outcome.usage
        return outcome

    def _reading(self, question: Question, outcome: ModelOutcome) -> Reading | None:
        return read_answer(question, outcome.value, self._known) if isinstance(outcome, ModelAnswer) else None

    def _repaired(self, question: Question, reading: Reading) -> Reading:
        """The reading after one more call; without an answer, what broke a rule is left out."""
        outcome = self._ask(question, repair_part(question, reading))
        if isinstance(outcome, ModelFailure):
            return reading
        return read_repair(question, reading, outcome.value, self._known) or reading

    def _take(self, question: Question, reading: Reading) -> None:
        written = self._written
        written.title = reading.title or written.title
        written.text = reading.text or written.text
        written.columns.update(reading.columns)
        written.dropped.extend(reading.dropped)
        written.from_samples = written.from_samples or bool(question.shown.samples)


def _smaller(question: Question, failure: ModelFailure) -> list[Question]:
    """Questions that ask for the same with less: without samples, then in halves; empty if there are none."""
    if failure.kind == "too_long" and question.shown.samples:
        return [without_samples(question)]
    return halved(question)
