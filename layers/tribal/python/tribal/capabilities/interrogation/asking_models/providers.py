"""Asks models in turn until one gives an answer that can be used, and notes what failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tribal.capabilities.interrogation.errors import BudgetExhausted, PartyFailed
from tribal.capabilities.interrogation.parties import Cost, Note
from tribal.capabilities.interrogation.sessions.audits import bounded
from tribal.ports import FailureKind, LanguageModel, ModelFailure, ModelOutcome, ModelRequest
from tribal.rendering.prompt_data import data_json
from tribal_contracts import ModelUsage

T = TypeVar("T")
_LEAST_LEFT = 0.2
"""The share of its time that a second attempt needs; a judgement, the same as for a retry."""
_MOST_FAULTS, _MOST_NAME_CHARS = 10, 100
_PASSING = frozenset({"throttled", "overloaded", "unavailable", "timed_out"})
"""Failures after which the same call may succeed later."""
_SPENT = "the money is spent: per_session_usd, per_exam_usd or spending.per_day_usd leaves too little for another call"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyModel:
    """A model that may be asked."""

    name: str
    """`{provider}:{model}`."""
    model: LanguageModel
    """Books its calls to the account of the session or exam."""
    timeout_seconds: float
    """The longest that its part of a call may take, with waits, retries and a second attempt."""
    thinking_tokens: int = 0
    """Added to the tokens of an answer."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every request of one kind has in common."""

    instructions: str
    schema: Mapping[str, Any]
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What an answer says: `None` if it cannot be used."""

    value: T | None
    faults: tuple[str, ...] = ()
    """What the model should correct, without its words; what breaks a rule is not in the value."""
    invented: tuple[str, ...] = ()
    """Names in the answer that do not exist, to tell the model only."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The answer of one of the models."""

    value: T
    model: str
    cost: Cost


@dataclass(slots=True)
class _Attempts:
    """The attempts of one call so far."""

    notes: list[Note] = field(default_factory=list)
    usage: ModelUsage = field(default_factory=ModelUsage)
    failures: list[ModelFailure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Providers:
    """The models that a party may ask, the default first."""

    models: Sequence[PartyModel]
    unreachable: Callable[[str, Sequence[Note], bool], PartyFailed]
    """The error when none is left: what happened, what was noted, and whether that may pass."""
    second_attempt_after: frozenset[FailureKind] = frozenset({"malformed"})
    """Failures after which the same model is asked again."""
    monotonic: Callable[[], float] = time.monotonic

    def ask(self, prompt: Prompt, data: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Reading[T]]) -> Reply[T]:
        """The first answer without faults, or else the first that can be used.

        Raises:
            PartyFailed: `unreachable` when no model gives one, `BudgetExhausted`.
            StoreError: when the record of the budget cannot be read or written.
        """
        attempts = _Attempts()
        usable: tuple[T, PartyModel] | None = None
        for number, each in enumerate(self.models):
            following = self.models[number + 1] if number + 1 < len(self.models) else None
            turn = _Turn(self, each, prompt, data, read, attempts, retries=following is None)
            result = turn.take()
            if isinstance(result, Reading) and not result.faults and result.value is not None:
                attempts.notes += turn.notes
                return Reply(result.value, each.name, Cost(tuple(attempts.notes), attempts.usage))
            if isinstance(result, Reading) and result.value is not None and usable is None:
                usable = (result.value, each)
            failure = result if isinstance(result, ModelFailure) else _malformed(result.faults)
            attempts.failures.append(failure)
            if following is not None:
                switch = Note("provider_switch", f"{failure.kind}: {failure.message}", each.name, following.name)
                attempts.notes.append(switch)
            else:
                attempts.notes.append(_note(each, failure))
        if usable is not None:
            return Reply(usable[0], usable[1].name, Cost(tuple(attempts.notes), attempts.usage))
        named = zip(self.models, attempts.failures, strict=True)
        says = "; ".join(f"{each.name}: {failure.message}" for each, failure in named)
        raise self.unreachable(says, attempts.notes, any(each.kind in _PASSING for each in attempts.failures))


@dataclass(slots=True)
class _Turn(Generic[T]):
    """One model's part of a call: its answer, and a second attempt where that can help and there is time."""

    providers: Providers
    party: PartyModel
    prompt: Prompt
    data: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], Reading[T]]
    attempts: _Attempts
    retries: bool
    notes: list[Note] = field(default_factory=list)
    """What failed before the answer; left out if it ends in a switch, which says why."""

    def take(self) -> Reading[T] | ModelFailure:
        ends = self.providers.monotonic() + self.party.timeout_seconds
        first = self._attempt(self.data, ends)
        if isinstance(first, ModelFailure):
            if first.kind not in self.providers.second_attempt_after:
                return first
            faults, failure = {"faults": [first.message]}, first
        elif first.faults or first.value is None:
            faults, failure = _to_correct(first), _malformed(first.faults)
        else:
            return first
        if ends - self.providers.monotonic() < _LEAST_LEFT * self.party.timeout_seconds:
            return first
        self.notes.append(_note(self.party, failure, "asked again"))
        second = self._attempt({**self.data, **faults}, ends)
        return second if _is_better(second, first) else first

    def _attempt(self, data: Mapping[str, Any], ends: float) -> Reading[T] | ModelFailure:
        outcome = self._ask(data, ends)
        if not isinstance(outcome, ModelFailure):
            return self.read(outcome.value)
        if outcome.kind == "exhausted":
            raise BudgetExhausted(_SPENT, self.attempts.notes)
        return outcome

    def _ask(self, data: Mapping[str, Any], ends: float) -> ModelOutcome:
        request = ModelRequest(
            prefix=self.prompt.instructions,
            part=data_json(data),
            schema=self.prompt.schema,
            max_tokens=self.prompt.answer_tokens + self.party.thinking_tokens,
            deadline_seconds=max(0.0, ends - self.providers.monotonic()),
            retries=self.retries,
            waits_count=True,
        )
        outcome = self.party.model.ask(request)
        self.attempts.usage = self.attempts.usage + outcome.usage
        self.notes += [_note(self.party, each, "asked again") for each in outcome.retried]
        return outcome


def _is_better(second: Reading[T] | ModelFailure, first: Reading[T] | ModelFailure) -> bool:
    """Whether the second attempt replaces the first: anything but a failure replaces a failure."""
    if isinstance(first, ModelFailure) or first.value is None:
        return True
    return isinstance(second, Reading) and second.value is not None


def _to_correct(reading: Reading[T]) -> dict[str, list[str]]:
    names = [bounded(name, _MOST_NAME_CHARS) for name in reading.invented[:_MOST_FAULTS]]
    return {"faults": [*reading.faults[:_MOST_FAULTS]], **({"unknown_names": names} if names else {})}


def _malformed(faults: Sequence[str]) -> ModelFailure:
    return ModelFailure("malformed", "; ".join(faults) or "the answer does not have the form that was asked for")


def _note(party: PartyModel, failure: ModelFailure, then: str = "") -> Note:
    reason = f"{party.name}: {failure.kind}: {failure.message}{f'; {then}' if then else ''}"
    return Note("timeout" if failure.kind == "timed_out" else "error", reason)
