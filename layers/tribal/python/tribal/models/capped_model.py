"""A language model that keeps to the run's budget and retries transient failures."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import count

from tribal.models.budget import LONGEST_PAUSE_SECONDS, Budget
from tribal.models.timing import Timing
from tribal.ports import LanguageModel, ModelFailure, ModelOutcome, ModelRequest, StopToken
from tribal_contracts import ModelUsage

_SLICE_SECONDS = 0.5
"""A stop is noticed within this time during a pause."""
_POLL_SECONDS = 0.1
"""How often a call checks for money, or for a slot when its turn is near: a hundredth of a call's time."""
_SPREAD_SECONDS = 1.0
"""Calls that waited for the same moment start spread over this time."""
_Call = Callable[[ModelRequest], Generator[str, None, ModelOutcome]]
"""One attempt: yields its text, and returns its outcome."""


class CappedModel:
    """Asks a model within the caps of a budget; safe to share between threads.

    Waiting for a slot, for money and as long as the provider asks for does not count towards the deadline, unless the
    request says so. Retries of throttled, overloaded and unavailable calls begin within the deadline. The usage of an
    outcome is the sum over its attempts.

    Args:
        model: the model to call.
        budget: what this process may spend, and how many calls it may run at once.
        worst_price: the most a request may cost, in nanodollars.
        stop: ends waiting; if it leaves less time than a call may take, none starts.
        timing: clock, waiting and randomness, and whether a caller waits.
        prepare: slow preparation such as loading an SDK; called before each call, while no slot is held.
    """

    def __init__(
        self,
        model: LanguageModel,
        budget: Budget,
        worst_price: Callable[[ModelRequest], int],
        stop: StopToken,
        timing: Timing,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self._model = model
        self._budget = budget
        self._worst_price = worst_price
        self._stop = stop
        self._timing = timing
        self._prepare = prepare
        self._rejections = _Rejections()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def stop(self, message: str) -> None:
        """End the calls of the account, here and in every other process."""
        self._budget.stop(message)

    def close(self) -> None:
        """Book what was spent and release the reserved money; no call may follow."""
        self._budget.close()

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask once there is a slot and money for it.

        Raises:
            StoreError: when the record of the budget cannot be read or written.
        """
        calls = self._within_budget(request, self._in_one_piece)
        while True:
            try:
                next(calls)
            except StopIteration as end:
                outcome: ModelOutcome = end.value
                return outcome

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Yield the text of an answer as it arrives, once there is a slot and money for it.

        A call is repeated only while none of its text has arrived. One that is left early is booked at its worst price.

        Raises:
            StoreError: when the record of the budget cannot be read or written.
        """
        return (yield from self._within_budget(request, self._model.stream))

    def _in_one_piece(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        yield from ()
        return self._model.ask(request)

    def _within_budget(self, request: ModelRequest, call: _Call) -> Generator[str, None, ModelOutcome]:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal  # the budget may be closed already, and is not opened again
        self._prepare()
        limit = request.longest_seconds or request.deadline_seconds
        ends = self._timing.monotonic() + limit if request.waits_count else math.inf
        with self._budget.wanting_slot() as turn:
            while not turn.take():
                refusal = self._refusal(request, ends)
                if refusal is not None:
                    return refusal
                self._timing.pause(_POLL_SECONDS if turn.is_near else _SLICE_SECONDS)
            price = self._worst_price(request)
            refusal = self._wait_to_begin(request, price, ends)
            return refusal or (yield from self._within_deadline(request, price, call, ends))

    def _refusal(self, request: ModelRequest, ends: float = math.inf) -> ModelFailure | None:
        if not self._stop.has_time_for(request.deadline_seconds):
            return ModelFailure("interrupted", "the run is ending; the model was not called")
        if ends <= self._timing.monotonic():
            return ModelFailure("timed_out", "other calls took all of the time; the model was not called")
        return self._budget.refusal()

    def _wait_to_begin(self, request: ModelRequest, price: int, ends: float) -> ModelFailure | None:
        """Wait out any pause, then reserve the price; afterwards one call may be made."""
        while True:
            refusal = self._refusal(request, ends)
            if refusal is not None:
                return refusal
            if self._budget.pause_left() > 0:
                if not self._has_time_after(self._budget.pause_left(), ends, request):
                    return ModelFailure("throttled", "the provider asked all callers to wait; the model was not called")
                self._wait_out_pause()
                continue
            match self._budget.reserve(price):
                case "reserved":
                    if self._budget.breaker.admit():
                        return None
                    self._budget.book(price, 0)
                case "exhausted":
                    return ModelFailure(
                        "exhausted",
                        "the budget is spent: per_run_usd, per_day_usd or --budget leaves too little for another call",
                    )
                case "later":
                    self._timing.pause(_POLL_SECONDS)

    def _within_deadline(
        self, request: ModelRequest, price: int, call: _Call, ends: float
    ) -> Generator[str, None, ModelOutcome]:
        """Make the reserved and admitted call, and retry it while that can help."""
        failed, why = True, ""
        try:
            outcome = yield from self._repeated(request, price, call, ends)
            failed = isinstance(outcome, ModelFailure) and _shows_outage(outcome)
            why = outcome.message if isinstance(outcome, ModelFailure) and failed else ""
        except GeneratorExit:
            failed = False
            raise
        finally:
            self._budget.breaker.count(failed=failed, why=why)
        if (message := self._rejections.count(outcome)) is not None:
            self._budget.stop(message)
        return outcome

    def _repeated(
        self, request: ModelRequest, price: int, call: _Call, ends: float
    ) -> Generator[str, None, ModelOutcome]:
        started = self._timing.monotonic()
        # Retries begin before `ends`; an attempt may take until `limit`.
        limit, ends = min(ends, started + self._longest(request)), min(ends, started + request.deadline_seconds)
        usage, unseen, asked_to_wait, failures = ModelUsage(), False, 0, list[ModelFailure]()
        for attempt in count():
            left = max(0.0, limit - self._timing.monotonic())
            outcome, spoke = yield from self._booked(
                replace(request, deadline_seconds=left, longest_seconds=None), price, call
            )
            usage = usage + outcome.usage
            if not isinstance(outcome, ModelFailure):
                return replace(outcome, usage=usage, retried=tuple(failures))
            failures.append(outcome)
            unseen = unseen or outcome.unseen
            if outcome.kind == "stopped":
                self._budget.stop(outcome.message)
            waited, asks = self._timing.monotonic(), outcome.retry_after_seconds is not None
            asked_to_wait += asks
            if spoke or asked_to_wait > _MOST_WAITS:
                return replace(outcome, usage=usage, unseen=unseen)
            again = self._wait_to_repeat(outcome, attempt, ends, request) and self._budget.reserve(price) == "reserved"
            if not again:
                return replace(_given_up(outcome), usage=usage, unseen=unseen, retried=tuple(failures[:-1]))
            if asks and not request.waits_count:
                waited = self._timing.monotonic() - waited
                limit, ends = limit + waited, ends + waited
        raise AssertionError("retries must end at the deadline")

    def _longest(self, request: ModelRequest) -> float:
        """The seconds that one attempt may take: what is left before the process has to end, if that is known."""
        if request.longest_seconds is None:
            return request.deadline_seconds
        left = self._stop.remaining_seconds() - _CLOSING_SECONDS
        return max(request.deadline_seconds, left) if math.isfinite(left) else request.longest_seconds

    def _booked(
        self, request: ModelRequest, price: int, call: _Call
    ) -> Generator[str, None, tuple[ModelOutcome, bool]]:
        """One attempt: its outcome, and whether any text arrived."""
        spent, unseen, spoke = 0, True, False
        pieces = call(request)
        try:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    outcome: ModelOutcome = end.value
                    break
                spoke = True
                yield piece
            spent, unseen = outcome.usage.nanodollars, isinstance(outcome, ModelFailure) and outcome.unseen
        finally:
            pieces.close()
            self._budget.book(price, spent, unseen=unseen)
        return outcome, spoke

    def _wait_to_repeat(self, failure: ModelFailure, attempt: int, ends: float, request: ModelRequest) -> bool:
        """Whether to retry a call, after waiting; `False` if there is not enough time."""
        may_help = failure.kind in _TRANSIENT if failure.may_retry is None else failure.may_retry
        if not may_help or _wait_is_too_long(failure):
            return False
        if failure.retry_after_seconds is None and not request.retries:
            return False
        delay = _retry_delay(failure, attempt, self._timing.random)
        if failure.kind in _BUSY:
            self._budget.pause(delay)
            delay += self._timing.random() * _SPREAD_SECONDS
        is_asked_for = failure.retry_after_seconds is not None and not request.waits_count
        began = self._timing.monotonic()
        while delay > 0:
            # A wait that is asked for takes none of the call's time.
            starts = began if is_asked_for else self._timing.monotonic() + delay
            if not _has_time_left(ends - starts, request.deadline_seconds):
                return False
            if is_asked_for and not self._stop.has_time_for(delay + request.deadline_seconds):
                return False
            self._pause(delay)
            if self._stop.requested or self._budget.refusal() is not None:
                return False
            delay = self._budget.pause_left()
        return is_asked_for or _has_time_left(ends - self._timing.monotonic(), request.deadline_seconds)

    def _has_time_after(self, wait_seconds: float, ends: float, request: ModelRequest) -> bool:
        return _has_time_left(ends - self._timing.monotonic() - wait_seconds, request.deadline_seconds)

    def _wait_out_pause(self) -> None:
        self._pause(self._budget.pause_left())
        if self._budget.pause_left() <= 0:
            self._pause(self._timing.random() * _SPREAD_SECONDS)

    def _pause(self, seconds: float) -> None:
        """Wait that long, or until a stop is requested."""
        while seconds > 0 and not self._stop.requested:
            self._timing.pause(min(seconds, _SLICE_SECONDS))
            seconds -= _SLICE_SECONDS


_CLOSING_SECONDS = 20.0
"""What is left for the checkpoint after the last call before a deadline. By judgement."""
_MOST_WAITS = 3
"""How often a call waits because the provider asks for it; a judgement."""
_SAME_REJECTIONS = 5
"""After so many equal refusals of a request without a success, no call is likely to succeed. By judgement."""
_TRANSIENT = frozenset({"throttled", "overloaded", "unavailable"})
_BUSY = frozenset({"throttled", "overloaded"})
"""The provider is overloaded, so all calls wait, not only the failed one."""
_DOWN = _TRANSIENT | {"timed_out"}
"""The provider does not respond; all other failures show that it does."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 20.0
_LEAST_LEFT = 0.2


def _wait_is_too_long(failure: ModelFailure) -> bool:
    """Whether the provider asks for a longer wait than a call has time for, such as until tomorrow."""
    return (failure.retry_after_seconds or 0.0) > LONGEST_PAUSE_SECONDS


def _given_up(failure: ModelFailure) -> ModelFailure:
    """The failure of a call that ends; one that was asked to wait for longer than calls wait counts as unavailable."""
    return replace(failure, kind="unavailable") if failure.kind in _BUSY and _wait_is_too_long(failure) else failure


def _shows_outage(failure: ModelFailure) -> bool:
    """Whether a failure counts towards the circuit breaker: a provider that says when to come back does not."""
    return failure.kind in _DOWN and failure.retry_after_seconds is None


class _Rejections:
    """Counts equal refusals of requests since the last success, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._message = ""
        self._count = 0

    def count(self, outcome: ModelOutcome) -> str | None:
        """Count an outcome; returns why no further call should be made, or `None`."""
        with self._lock:
            if not isinstance(outcome, ModelFailure):
                self._count = 0
            elif outcome.kind == "rejected":
                alike = _VARIES.sub("", outcome.message) == _VARIES.sub("", self._message)
                self._count, self._message = self._count + 1 if alike else 1, outcome.message
            if self._count < _SAME_REJECTIONS:
                return None
            return f"{self._message}, {self._count} times without a success: check the settings of the model"


_VARIES = re.compile(r" \[request [^\]]*\]\Z|[0-9]+")
"""What differs between two refusals for the same reason."""


def _retry_delay(failure: ModelFailure, attempt: int, random: Callable[[], float]) -> float:
    """Seconds to wait after attempt number `attempt`, from 0: exponential, with full jitter.

    At least as long as the provider asks for.
    """
    backoff = random() * min(_FIRST_SECONDS * 2.0**attempt, _LONGEST_SECONDS)
    return max(backoff, failure.retry_after_seconds or 0.0)


def _has_time_left(left_seconds: float, deadline_seconds: float) -> bool:
    """Whether another attempt can finish; one that is cut off costs its highest price for nothing."""
    return left_seconds >= _LEAST_LEFT * deadline_seconds
