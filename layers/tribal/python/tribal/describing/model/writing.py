"""Ask a model questions: split those whose answers are cut off, repeat those whose answers break a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tribal.describing.model.answers import CheckedAnswer, read_answer, read_repair, repair_part
from tribal.describing.model.questions import Question, halved, narrowed, slice_key, without_samples
from tribal.ports import LanguageModel, ModelFailure, ModelOutcome
from tribal.text_checks import KnownNames
from tribal_contracts import DroppedSentence, KeptSlice, ModelUsage

_LEFT_FOR_LATER = ("exhausted", "interrupted", "stopped")
"""Failures before the call, which the next run may not have."""
_MALFORMED = "the model's answers did not match the requested schema"


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


class Writer:
    """Writes about one subject.

    Args:
        model: retries transient failures itself.
        known: the names of the catalog, which answers may use only as handles.
        deadline_seconds: the most that one call may take.
        slices: cached answers, by `slice_key`. keep_slice: caches another one.
    """

    def __init__(
        self,
        model: LanguageModel,
        known: KnownNames | None,
        deadline_seconds: float,
        slices: Mapping[str, KeptSlice],
        keep_slice: Callable[[str, KeptSlice], None],
    ) -> None:
        self._model = model
        self._known = known
        self._deadline_seconds = deadline_seconds
        self._slices = slices
        self._keep_slice = keep_slice
        self._written = WriteResult()
        self._spent = ModelUsage()

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
        repaired = self._repaired(question, reading) if reading.needs_repair else reading
        if repaired is None:
            self._keep(question, _part(question, reading, self._spent, unrepaired=True))
            return []
        part = _part(question, repaired, self._spent)
        self._written.take(part, repaired.title)
        if not last:
            self._keep(question, part)
        return []

    def _keep(self, question: Question, part: KeptSlice) -> None:
        if key := slice_key(question):
            self._keep_slice(key, part)

    def _ask(self, question: Question, part: str | None = None) -> ModelOutcome:
        outcome = self._model.ask(question.request(self._deadline_seconds, part))
        self._spent += outcome.usage
        self._written.usage += outcome.usage
        return outcome

    def _read(self, question: Question) -> CheckedAnswer | ModelFailure:
        outcome = self._ask(question)
        if isinstance(outcome, ModelFailure):
            return outcome
        return read_answer(question, outcome.value, self._known) or ModelFailure("malformed", _MALFORMED)

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


def _part(question: Question, reading: CheckedAnswer, usage: ModelUsage, *, unrepaired: bool = False) -> KeptSlice:
    """The part of an answer to cache; unrepaired faults are not dropped yet."""
    return KeptSlice(
        text=reading.text,
        columns=dict(sorted(reading.columns.items())),
        dropped=[] if unrepaired else reading.dropped,
        from_samples=bool(question.shown.samples),
        usage=usage,
        unrepaired=sorted({fault.subject for fault in reading.faults}) if unrepaired else None,
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
    """Smaller questions for the same content: without samples, then halves; empty if that cannot help."""
    if failure.kind not in ("truncated", "too_long"):
        return []
    if failure.kind == "too_long" and question.shown.samples:
        return [without_samples(question)]
    return halved(question)
