"""A language model whose usage is added up."""

from __future__ import annotations

import threading
from dataclasses import replace

from tribal.ports import Clock, LanguageModel, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage


class TalliedModel:
    """Asks another model and adds up what it used; while the clock stands still, calls take no time."""

    def __init__(self, model: LanguageModel, clock: Clock) -> None:
        self._model = model
        self._clock = clock
        self._lock = threading.Lock()
        self._usage = ModelUsage()

    @property
    def name(self) -> str:
        """Name of the model that is asked."""
        return self._model.name

    @property
    def usage(self) -> ModelUsage:
        """What all calls so far have used."""
        with self._lock:
            return self._usage

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask the model."""
        outcome = self._model.ask(request)
        if self._clock.is_fixed:
            outcome = replace(outcome, usage=outcome.usage.model_copy(update={"time_ms": 0}))
        with self._lock:
            self._usage += outcome.usage
        return outcome
