"""A language model that sums up its usage."""

from __future__ import annotations

import threading
from dataclasses import replace

from tribal.ports import Clock, LanguageModel, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage


class MeteredModel:
    """Asks another model and sums up its usage; with a fixed clock, calls take no time."""

    def __init__(self, model: LanguageModel, clock: Clock) -> None:
        self._model = model
        self._clock = clock
        self._lock = threading.Lock()
        self._usage = ModelUsage()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def usage(self) -> ModelUsage:
        """The usage of all calls so far."""
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
