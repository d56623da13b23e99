"""Asks models in turn until one gives an answer that can be used, and notes what failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tribal.errors import ConfigurationError
from tribal.ports import LanguageModel, ModelFailure, ModelOutcome, ModelRequest, Provider, StopToken
from tribal.ports.models.chains import (
    Cost,
    ModelPrompt,
    NoReply,
    Reading,
    Reply,
    StreamedAnswer,
    StreamReader,
    TrailNote,
)
from tribal.rendering.prompt_data import data_json
from tribal.rendering.words import bounded
from tribal_contracts import ModelUsage

T = TypeVar("T")
Shown = TypeVar("Shown")
_LEAST_LEFT = 0.2
"""The share of its time that a repair needs; a judgement, the same as for a retry."""
_MOST_FAULTS, _MOST_NAME_CHARS = 10, 100


def _free(_: ModelRequest) -> float:
    return 0.0


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenModel:
    """A model that may be asked."""

    name: str
    model: LanguageModel
    timeout_seconds: float
    """The longest that its part of an answer may take, with waits, retries and a repair."""
    longest_seconds: float | None = None
    """The same for a server that may be slow, which is retried for `timeout_seconds` only."""
    idle_seconds: float | None = None
    """See `ModelRequest.idle_seconds`."""
    thinking_tokens: int = 0
    """Added to the tokens of an answer."""
    worst_usd: Callable[[ModelRequest], float] = _free
    """The most that a request can cost."""
    close: Callable[[], None] = _nothing
    """Books what was spent; no call may follow."""


@dataclass(frozen=True, slots=True)
class Link:
    """A model of a chain before it is opened."""

    name: str
    """How reports name it until then."""
    opened: Provider[OpenModel]
    """Raises `ConfigurationError` when something is missing that a call needs."""


@dataclass(slots=True)
class _Attempts:
    """The attempts of one request so far."""

    notes: list[TrailNote] = field(default_factory=list)
    failures: list[tuple[str, ModelFailure]] = field(default_factory=list)
    usage: ModelUsage = field(default_factory=ModelUsage)

    def cost(self, more: Sequence[TrailNote] = ()) -> Cost:
        return Cost((*self.notes, *more), self.usage)


class Chain:
    """Models that are asked in turn; a `ModelChain`.

    Args:
        links: the models in the order in which they are asked.
        stop: ends waiting and streams; its deadline is that of all answers together.
    """

    def __init__(self, links: Sequence[Link], stop: StopToken | None = None) -> None:
        self.links = links
        self.stop = stop or StopToken()

    def ask(
        self, prompt: ModelPrompt, data: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Reading[T]]
    ) -> Reply[T] | NoReply:
        """Return the first typed answer without faults, or else the first that can be used; see `ModelChain.ask`."""

        def whole(_: str, answer: StreamedAnswer | ModelFailure) -> Generator[str, None, Reading[T] | ModelFailure]:
            outcome = answer if isinstance(answer, ModelFailure) else (yield from answer)
            return outcome if isinstance(outcome, ModelFailure) else read(outcome.value)

        answering = self.stream(prompt, data, whole)
        while True:
            try:
                next(answering)
            except StopIteration as end:
                found: Reply[T] | NoReply = end.value
                return found

    def stream(
        self, prompt: ModelPrompt, data: Mapping[str, Any], read: StreamReader[Shown, T]
    ) -> Generator[Shown, None, Reply[T] | NoReply]:
        """Ask as `ask` does, yielding what the reader shows of each answer; see `ModelChain.stream`."""
        attempts, usable = _Attempts(), list[tuple[T, str]]()
        for number, link in enumerate(self.links):
            following = self.links[number + 1].name if number + 1 < len(self.links) else None
            turn = _Turn(self, link, prompt, data, read, attempts, is_last=following is None)
            result = yield from turn.take()
            if isinstance(result, Reading) and result.value is not None:
                usable.append((result.value, turn.name))
                if not result.faults:
                    return Reply(*usable[-1], attempts.cost(turn.notes))
            failure = result if isinstance(result, ModelFailure) else _malformed(result.faults)
            if turn.is_spent(failure):
                return NoReply(attempts.cost(), is_spent=True)
            attempts.failures.append((turn.name, failure))
            attempts.notes.append(_last_note(turn.name, failure, following))
        if usable:
            return Reply(*usable[0], attempts.cost())
        return NoReply(attempts.cost(), tuple(attempts.failures))

    def close(self) -> None:
        """Book what was spent and release the reserved money; no call may follow."""
        with ExitStack() as closing:
            for link in self.links:
                if link.opened.made:
                    closing.callback(link.opened().close)


@dataclass(slots=True)
class _Turn(Generic[Shown, T]):
    """One model's part of a request: its answer, and a repair where that can help and there is time."""

    chain: Chain
    link: Link
    prompt: ModelPrompt
    data: Mapping[str, Any]
    read: StreamReader[Shown, T]
    attempts: _Attempts
    is_last: bool
    notes: list[TrailNote] = field(default_factory=list)
    """What failed before the answer; left out if it ends in a switch, which says why."""

    @property
    def name(self) -> str:
        """How reports name the model."""
        return self.link.opened().name if self.link.opened.made else self.link.name

    def take(self) -> Generator[Shown, None, Reading[T] | ModelFailure]:
        try:
            model = self.link.opened()
        except ConfigurationError as error:
            return (yield from self.read(self.link.name, ModelFailure("stopped", error.message)))
        left = max(0.0, self.chain.stop.remaining_seconds() - self.prompt.closing_seconds)
        limit = min(left, model.longest_seconds or model.timeout_seconds)
        ends = time.monotonic() + limit
        first = yield from self._attempt(model, self.data, ends)
        failure = _failure(first)
        if self.prompt.schema is None or failure is None or failure.kind not in self.prompt.repaired:
            return first
        if ends - time.monotonic() < _LEAST_LEFT * limit:
            return first
        self.notes.append(_note(self.name, failure, "asked again"))
        second = yield from self._attempt(model, {**self.data, **_to_correct(first)}, ends)
        is_spent = isinstance(second, ModelFailure) and self.is_spent(second)
        return second if is_spent or _is_better(second, first) else first

    def is_spent(self, failure: ModelFailure) -> bool:
        """Whether a failure ends the chain because a cap is spent."""
        return failure.kind == "exhausted" and self.prompt.ends_when_spent

    def _attempt(
        self, model: OpenModel, data: Mapping[str, Any], ends: float
    ) -> Generator[Shown, None, Reading[T] | ModelFailure]:
        left = max(0.0, ends - time.monotonic())
        request = ModelRequest(
            prefix=self.prompt.instructions,
            part=data_json(data),
            schema=self.prompt.schema,
            max_tokens=self.prompt.answer_tokens + model.thinking_tokens,
            deadline_seconds=min(left, model.timeout_seconds),
            longest_seconds=None if model.longest_seconds is None else left,
            idle_seconds=model.idle_seconds,
            retries=self.is_last and self.prompt.last_retries,
            waits_count=True,
            stopped=lambda: self.chain.stop.requested,
        )
        return (yield from self.read(model.name, self._answer(model, request)))

    def _answer(self, model: OpenModel, request: ModelRequest) -> StreamedAnswer:
        if (worst := model.worst_usd(request)) > self.prompt.most_usd:
            setting = f"{self.prompt.most_usd_setting} (${self.prompt.most_usd:g})"
            return ModelFailure("exhausted", f"an answer may cost ${worst:.4f}, more than {setting}")
        outcome: ModelOutcome
        outcome = (yield from model.model.stream(request)) if request.schema is None else model.model.ask(request)
        self.attempts.usage = self.attempts.usage + outcome.usage
        self.notes += [_note(model.name, each, "asked again") for each in outcome.retried]
        return outcome


def _is_better(second: Reading[T] | ModelFailure, first: Reading[T] | ModelFailure) -> bool:
    """Whether the second attempt replaces the first: anything but a failure replaces a failure."""
    if isinstance(first, ModelFailure) or first.value is None:
        return True
    return isinstance(second, Reading) and second.value is not None


def _failure(result: Reading[T] | ModelFailure) -> ModelFailure | None:
    """What is wrong with an answer; `None` if nothing is."""
    if isinstance(result, ModelFailure):
        return result
    return _malformed(result.faults) if result.faults or result.value is None else None


def _to_correct(result: Reading[T] | ModelFailure) -> dict[str, list[str]]:
    if isinstance(result, ModelFailure):
        return {"faults": [result.message]}
    names = [bounded(name, _MOST_NAME_CHARS) for name in result.invented[:_MOST_FAULTS]]
    return {"faults": [*result.faults[:_MOST_FAULTS]], **({"unknown_names": names} if names else {})}


def _malformed(faults: Sequence[str]) -> ModelFailure:
    return ModelFailure("malformed", "; ".join(faults) or "the answer does not have the form that was asked for")


def _last_note(name: str, failure: ModelFailure, following: str | None) -> TrailNote:
    if following is None:
        return _note(name, failure)
    return TrailNote("provider_switch", f"{failure.kind}: {failure.message}", name, following)


def _note(name: str, failure: ModelFailure, then: str = "") -> TrailNote:
    reason = f"{name}: {failure.kind}: {failure.message}{f'; {then}' if then else ''}"
    return TrailNote("timeout" if failure.kind == "timed_out" else "error", reason)
