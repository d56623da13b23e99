"""Find out whether a server binds answers to a schema, with one cheap trial."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from typing import Any

from tribal.ports import LanguageModel, ModelAnswer, ModelOutcome, ModelRequest, ObjectStore
from tribal.store.model_tests import change_model_record, read_model_record
from tribal_contracts import ModelEntry

_MEMBER = "k7"
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {_MEMBER: {"type": "boolean"}},
    "required": [_MEMBER],
    "additionalProperties": False,
}
"""The prompt does not mention it, so that only a bound model answers with it."""
_TOKENS = 32
_SECONDS = 60.0


class TriedModel:
    """A model that is tried once, before its first question; the result is remembered for its address and name.

    Vendors are not tried, nor are servers whose settings say whether they bind answers.

    Args:
        model: keeps to a budget.
        entry: its settings.
        store: has the record of what is known of models.
        thinking_tokens: added to the tokens of the trial.
    """

    def __init__(self, model: LanguageModel, entry: ModelEntry, store: ObjectStore, thinking_tokens: int) -> None:
        self._model = model
        self._entry = entry
        self._store = store
        self._thinking_tokens = thinking_tokens
        self._lock = threading.Lock()
        self._is_known = not needs_trial(entry)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask the model, after the trial."""
        self._try()
        return self._model.ask(request)

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Ask the model for text as it arrives, after the trial."""
        self._try()
        return (yield from self._model.stream(request))

    def _try(self) -> None:
        with self._lock:
            if self._is_known:
                return
            self._is_known = True
            record = read_model_record(self._store, self._entry)
            if record is not None and record.binds_answers is not None:
                return
            outcome = self._model.ask(trial_request(self._thinking_tokens))
            if isinstance(outcome, ModelAnswer) or outcome.kind == "malformed":
                binds = isinstance(outcome, ModelAnswer) and outcome.value.keys() == {_MEMBER}
                change_model_record(self._store, self._entry, {"binds_answers": binds})


def trial_request(thinking_tokens: int) -> ModelRequest:
    """Return the request that only a server that binds answers can answer as its schema asks."""
    tokens = _TOKENS + thinking_tokens
    return ModelRequest(
        "This is a connection test.", "Answer with the word: yes", _SCHEMA, tokens, _SECONDS, is_trial=True
    )


def needs_trial(entry: ModelEntry) -> bool:
    """Return whether a server may have to be tried: not a vendor's, and not one whose settings say it."""
    return entry.provider == "openai" and entry.base_url is not None and entry.binds_answers is None
