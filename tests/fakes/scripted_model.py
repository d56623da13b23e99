"""A language model that answers as a test tells it, and counts what that costs, as a provider does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from tribal.ports import ModelAnswer, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

Script = Callable[[ModelRequest, int], ModelOutcome]


def answer(nanodollars: int = 0) -> ModelAnswer:
    """An empty answer at that price."""
    return ModelAnswer({}, ModelUsage(calls=1, nanodollars=nanodollars))


class ScriptedModel:
    """Answers each request by a script, which gets its number. Costs are counted before the answer is sent.

    The usage of an unseen failure is the real cost of the call; the caller does not see it.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self.requests: list[ModelRequest] = []
        self.nanodollars = 0
        self.unseen_calls = self.unseen_nanodollars = 0
        self.under_way = 0
        self.most_at_once = 0
        self.pieces: Sequence[str] = ()
        """What a stream yields before it ends."""

    @property
    def name(self) -> str:
        return "scripted/model"

    def ask(self, request: ModelRequest) -> ModelOutcome:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            outcome = self._script(request, number)
        finally:
            with self._lock:
                self.under_way -= 1
        unseen = isinstance(outcome, ModelFailure) and outcome.unseen
        with self._lock:
            self.nanodollars += outcome.usage.nanodollars
            self.unseen_calls += unseen
            self.unseen_nanodollars += outcome.usage.nanodollars if unseen else 0
        return replace(outcome, usage=ModelUsage()) if unseen else outcome

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        outcome = self.ask(request)
        yield from self.pieces
        return outcome
