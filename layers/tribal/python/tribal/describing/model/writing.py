"""Ask a model questions: use the complete parts of answers that are cut off, repeat those that break a rule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tribal.describing.model.answers import CheckedAnswer, read_answer, read_repair, repair_part
from tribal.describing.model.partial_answers import unfinished, whole_parts
from tribal.describing.model.questions import Question, halved, leaner, narrowed, slice_key
from tribal.ports import CallLimits, LanguageModel, ModelFailure, ModelOutcome
from tribal.text_checks import KnownNames
from tribal_contracts import DroppedSentence, KeptSlice, ModelUsage

_LEFT_FOR_LATER = ("exhausted", "interrupted", "stopped")
"""Failures before the call, which the next run may not have."""
_EMPTY: dict[str, Any] = {"title": "", "text": "", "columns": []}
MALFORMED = ModelFailure("malformed", "the model's answers did not match the requested schema")


@dataclass(slots=True)
class WriteResult:
    """What a model wrote about one subject, or why it failed; usage is set either way."""

    title: str = ""
    text: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedSentence] = field(default_factory=list)
    from_samples: bool = False
    usage: ModelUsage = field(default_factory=ModelUsage)
    paid_before: ModelUsage = field(default_factory=ModelUsage)
    """The cost of slices that were already cached."""
    failure: ModelFailure | None = None

    def take(self, part: KeptSlice, title: str = "") -> None:
        """Add one answer."""
        self.title = title or self.title
        self.text = part.text or self.text
        self.columns.update(part.columns)
        self.dropped.extend(part.dropped)
        self.from_samples = self.from_samples or part.from_samples


@dataclass(frozen=True, slots=True)
class _Reading:
    """An answer, or the complete parts of one that ended early."""

    answer: CheckedAnswer
    left: Sequence[str] = ()
    """The subjects that are still to be asked for."""
    failure: ModelFailure | None = None
    """Why it ended early."""


class Writer:
    """Writes about one subject.

    Args:
        model: retries transient failures itself.
        known: the names of the catalog, which answers may use only as handles.
        limits: what one call may take.
        slices: cached answers, by `slice_key`. keep_slice: caches another one.
    """

    def __init__(
        self,
        model: LanguageModel,
        known: KnownNames | None,
        limits: CallLimits,
        slices: Mapping[str, KeptSlice],
        keep_slice: Callable[[str, KeptSlice], None],
    ) -> None:
        self._model = model
        self._known = known
        self._limits = limits
        self._slices = slices
        self._keep_slice = keep_slice
        self._written = WriteResult()
        self._spent = ModelUsage()
        self._rest: Question | None = None

    def write(self, questions: Sequence[Question]) -> WriteResult:
        """Ask every question without a cached answer; stop at the first failure that cannot be worked around."""
        left = list(questions)
        while left and self._written.failure is None:
            question = left.pop(0)
            kept, unrepaired = cached_answer(question, self._slices)
            if kept is not None:
                self._written.take(kept)
                self._written.paid_before += kept.usage
            if unrepaired == question:
                left[:0] = self._answer(question, last=not left)
            elif unrepaired is not None:
                left.insert(0, unrepaired)
        return self._written

    def _answer(self, question: Question, *, last: bool) -> list[Question]:
        """Store the answer, or return the questions to ask instead; all but the last answer are cached."""
        self._spent = ModelUsage()
        reading = self._read(question)
        if isinstance(reading, ModelFailure) and reading.kind == "malformed":
            reading = self._read(question)
        if isinstance(reading, ModelFailure):
            smaller = _smaller(question, reading)
            self._written.failure = None if smaller else reading
            return smaller
        answer, left = reading.answer, reading.left
        repaired = self._repaired(question, answer) if answer.needs_repair else answer
        if repaired is None:
            faulty = {fault.subject for fault in answer.faults}
            self._keep(question, _part(question, replace(answer, faults=()), self._spent, faulty.union(left)))
            return []
        part = _part(question, repaired, self._spent, left)
        self._written.take(part, repaired.title)
        if left or not last:
            self._keep(question, part)
        return self._asked_again(question, reading)

    def _asked_again(self, question: Question, reading: _Reading) -> list[Question]:
        """Ask once more for what is left of an answer that ended early; then, if it was too long, in halves."""
        if not reading.left or reading.failure is None:
            return []
        left = narrowed(question, reading.left)
        if question is not self._rest:
            self._rest = left
            return [left]
        smaller = _smaller(left, reading.failure)
        self._written.failure = None if smaller else reading.failure
        return smaller

    def _keep(self, question: Question, part: KeptSlice) -> None:
        if key := slice_key(question):
            self._keep_slice(key, part)

    def _ask(self, question: Question, part: str | None = None) -> ModelOutcome:
        outcome = self._model.ask(question.request(self._limits, part))
        self._spent += outcome.usage
        self._written.usage += outcome.usage
        return outcome

    def _read(self, question: Question) -> _Reading | ModelFailure:
        outcome = self._ask(question)
        if not isinstance(outcome, ModelFailure):
            answer = read_answer(question, outcome.value, self._known)
            return MALFORMED if answer is None else _Reading(answer)
        parts = whole_parts(outcome.text)
        left = unfinished(question, parts)
        answer = None if left is None else read_answer(question, _EMPTY | parts, self._known)
        return outcome if answer is None or left is None else _Reading(answer, left, outcome)

    def _repaired(self, question: Question, reading: CheckedAnswer) -> CheckedAnswer | None:
        """The answer after one repair call; if that fails, faulty sentences are dropped.

        `None` if the budget or the end of the run prevents the call; the next run makes it.
        """
        outcome = self._ask(question, repair_part(question, reading))
        if not isinstance(outcome, ModelFailure):
            return read_repair(question, reading, outcome.value, self._known) or reading
        if outcome.kind not in _LEFT_FOR_LATER:
            return reading
        self._written.failure = outcome
        return None


def _part(question: Question, answer: CheckedAnswer, usage: ModelUsage, left: Collection[str]) -> KeptSlice:
    """The part of an answer to cache, with the subjects that are still to be asked for."""
    return KeptSlice(
        text=answer.text,
        columns=dict(sorted(answer.columns.items())),
        dropped=answer.dropped,
        from_samples=bool(question.shown.samples),
        usage=usage,
        unrepaired=sorted(left) if left else None,
    )


def cached_answer(question: Question, slices: Mapping[str, KeptSlice]) -> tuple[KeptSlice | None, Question | None]:
    """Return the cached answer to a question, and what is left to ask.

    Without an answer, or if each of its subjects has to be repaired, that is the question itself.
    """
    kept = slices.get(slice_key(question)) if slices else None
    if kept is None:
        return None, question
    return kept, narrowed(question, kept.unrepaired) if kept.unrepaired else None


def unanswered(question: Question, slices: Mapping[str, KeptSlice]) -> Question | None:
    """Return the part of a question that the cache does not answer."""
    _, left = cached_answer(question, slices)
    return left if left is None or left == question else unanswered(left, slices)


def _smaller(question: Question, failure: ModelFailure) -> list[Question]:
    """Smaller questions for the same content: with less about the table, then halves; empty if that cannot help."""
    if failure.kind not in ("truncated", "too_long"):
        return []
    lean = leaner(question) if failure.kind == "too_long" else None
    return halved(question) if lean is None else [lean]
