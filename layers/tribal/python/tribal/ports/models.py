"""Language models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tribal_contracts import ModelUsage

FailureKind = Literal[
    "refused",  # the model declined
    "truncated",  # the answer reached its most tokens
    "too_long",  # the request is larger than the model's context
    "malformed",  # what came is no answer of the schema
    "rejected",  # the provider refuses this request; another may pass
    "throttled",  # 429: too many requests or tokens
    "overloaded",  # 529
    "unavailable",  # 5xx, no connection, cut, redirected, no API
    "timed_out",  # the deadline has passed
    "stopped",  # no call can succeed until a person acts: key, permission, model, money
    "exhausted",  # our own cap is reached, and nothing was sent
    "interrupted",  # the run ends, and nothing was sent
]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model."""

    prefix: str
    """The same bytes in every request of a run, so that the provider caches it."""
    part: str
    """What this request is about."""
    schema: Mapping[str, Any]
    """JSON Schema of the answer; the same in every request of a run."""
    max_tokens: int
    """The most tokens of output, thinking included."""
    deadline_seconds: float
    """The wall-clock time that the call may take, its retries included."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An answer that is a JSON object; whether it follows the schema is for the caller to check."""

    value: Mapping[str, Any]
    usage: ModelUsage


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """Why there is no answer; `message` is ours, and holds nothing that the model wrote."""

    kind: FailureKind
    message: str
    usage: ModelUsage = field(default_factory=ModelUsage)
    retry_after_seconds: float | None = None
    """What the provider asks for."""
    unseen: bool = False
    """Whether a request was sent whose usage nobody saw; its worst price is to be booked."""


ModelOutcome = ModelAnswer | ModelFailure


class LanguageModel(Protocol):
    """Answers questions by a schema. Called from many threads; raises nothing that a provider can cause."""

    @property
    def name(self) -> str:
        """Provider and model, such as `anthropic/claude-haiku-5-5`."""
        ...

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask once, and wait for the answer or the deadline; usage is reported with both."""
        ...
