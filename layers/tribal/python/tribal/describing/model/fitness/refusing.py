"""A model that failed its test."""

from __future__ import annotations

from collections.abc import Generator

from tribal.ports import LanguageModel, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelTest


class RefusedModel:
    """Refuses every request to a model that failed its test, so that nothing is paid for and rules describe."""

    def __init__(self, model: LanguageModel, test: ModelTest) -> None:
        self._model = model
        self._failure = ModelFailure(
            "stopped",
            f"the model {model.name} failed the test with built-in tables: {test.problem}; configure another model, or "
            "set model.accept_unfit",
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def ask(self, _request: ModelRequest) -> ModelOutcome:
        """Refuse."""
        return self._failure

    def stream(self, _request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Refuse."""
        yield from ()
        return self._failure
