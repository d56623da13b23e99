"""Asks a model questions until each is answered, smaller where an answer is cut, once more where it breaks a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tribal.describing.model.grounding import KnownNames, Reading, read_answer, read_repair, repair_part
from tribal.describing.model.questions import Question, halved, narrowed, slice_key, without_samples
from tribal.describing.model.written import Written
from tribal.ports import LanguageModel, ModelFailure, ModelOutcome
from tribal_contracts import KeptSlice, ModelUsage

_LEFT_FOR_LATER = ("exhausted", "interrupted", "stopped")
"""Failures that come before the call, and that another run does not have."""
_MALFORMED = "the model's answers were not of the shape that it was asked for"


class Writer:
    """Writes about one subject.

    Args:
        model: is asked; it repeats by itself what may pass.
        known: the names of the catalog, which prose may use by handle alone.
        deadline_seconds: the longest that one call may take.
        slices: answers that are kept, by `slice_key`. keep_slice: keeps another one.
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
        self._written = Written()
        self._spent = ModelUsage()

    def write(self, questions: Sequence[Question]) -> Written:
        """Ask every question whose answer is not kept; the first failure that nothing can be done about ends it."""
        left = list(questions)
        while left and self._written.failure is None:
            question = left.pop(0)
            kept = self._slices.get(slice_key(question)) if self._slices else None
            if kept is None:
                left[:0] = self._answer(question, last=not left)
                continue
            self._written.take(kept)
            self._written.paid_before += kept.usage
            if kept.unrepaired:
                left.insert(0, narrowed(question, kept.unrepaired))
        return self._written

    def _answer(self, question: Question, *, last: bool) -> list[Question]:
        """Take in the answer, or return the questions to ask instead; it is kept unless it is the last."""
        self._spent = ModelUsage()
        reading = self._reading(question)
        if isinstance(reading, ModelFailure) and reading.kind == "malformed":
            reading = self._reading(question)
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

    def _reading(self, question: Question) -> Reading | ModelFailure:
        outcome = self._ask(question)
        if isinstance(outcome, ModelFailure):
            return outcome
        return read_answer(question, outcome.value, self._known) or ModelFailure("malformed", _MALFORMED)

    def _repaired(self, question: Question, reading: Reading) -> Reading | None:
        """The reading after one more call; without an answer, what broke a rule is left out.

        `None` if that call was not made, since the cap or the end of the run leaves none: it is made by the next run.
        """
        outcome = self._ask(question, repair_part(question, reading))
        if not isinstance(outcome, ModelFailure):
            return read_repair(question, reading, outcome.value, self._known) or reading
        if outcome.kind not in _LEFT_FOR_LATER:
            return reading
        self._written.failure = outcome
        return None


def _part(question: Question, reading: Reading, usage: ModelUsage, *, unrepaired: bool = False) -> KeptSlice:
    """What is kept of an answer; faults that nobody was asked to repair are not dropped yet."""
    return KeptSlice(
        text=reading.text,
        columns=dict(sorted(reading.columns.items())),
        dropped=[] if unrepaired else reading.dropped,
        from_samples=bool(question.shown.samples),
        usage=usage,
        unrepaired=sorted({fault.subject for fault in reading.faults}) if unrepaired else None,
    )


def unanswered(question: Question, slices: Mapping[str, KeptSlice]) -> list[Question]:
    """What is still to be asked of a question, given the answers that are kept."""
    kept = slices.get(slice_key(question)) if slices else None
    if kept is None:
        return [question]
    return unanswered(narrowed(question, kept.unrepaired), slices) if kept.unrepaired else []


def _smaller(question: Question, failure: ModelFailure) -> list[Question]:
    """Questions that ask for the same with less: without samples, then in halves; empty if that cannot help."""
    if failure.kind not in ("truncated", "too_long"):
        return []
    if failure.kind == "too_long" and question.shown.samples:
        return [without_samples(question)]
    return halved(question)
