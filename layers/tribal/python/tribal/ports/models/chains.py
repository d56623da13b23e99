"""Chains of language models: one is asked, and the next where it fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from tribal.ports.models.calls import FailureKind, ModelFacts, ModelFailure, ModelOutcome
from tribal.ports.stopping import StopToken
from tribal_contracts import ModelUsage

if TYPE_CHECKING:
    from tribal_contracts import ModelEntry

T = TypeVar("T")
Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class ModelAccount:
    """What calls of models are booked to, and what they may cost."""

    name: str
    """Such as `session:ID`; the part before the colon says what it is for."""
    usd: float
    """What all calls of the account may cost."""
    day_share: float | None = None
    """The share of a day's cap that all chats and uploads may use together; `None` outside of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrompt:
    """What every request of one kind has in common."""

    instructions: str
    answer_tokens: int
    """The most tokens of an answer, without thinking."""
    schema: Mapping[str, Any] | None = None
    """JSON Schema of the answer; `None` streams text."""
    repaired: frozenset[FailureKind] = frozenset({"malformed"})
    """Failures of a typed answer after which the same model is asked again, once."""
    last_retries: bool = True
    """Whether the last model retries failures that may pass; after the others, the next one answers sooner."""
    ends_when_spent: bool = True
    """Whether a spent cap ends the chain; if not, the next model is asked, which may be free."""
    closing_seconds: float = 0.0
    """What the caller needs after an answer, of the time until its deadline."""
    most_usd: float = math.inf
    """The most that one request may cost."""
    most_usd_setting: str = ""
    """The setting that says so, for messages."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What an answer says."""

    value: T | None
    """`None` if the answer cannot be used."""
    faults: tuple[str, ...] = ()
    """What the model should correct, without its words; what breaks a rule is not in the value."""
    invented: tuple[str, ...] = ()
    """Names in the answer that do not exist, to tell the model only."""


@dataclass(frozen=True, slots=True)
class TrailNote:
    """An entry of an audit trail before it has a time."""

    event: Literal["provider_switch", "timeout", "error"]
    reason: str
    """Without keys, and without what was sent."""
    from_provider: str | None = None
    to_provider: str | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """What failed before an answer, and what all attempts used."""

    notes: tuple[TrailNote, ...] = ()
    usage: ModelUsage = field(default_factory=ModelUsage)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The answer of one of the models of a chain."""

    value: T
    model: str
    cost: Cost


@dataclass(frozen=True, slots=True)
class NoReply:
    """Why no model of a chain gave an answer that can be used."""

    cost: Cost
    failures: tuple[tuple[str, ModelFailure], ...] = ()
    """The last failure of each model, by the model's name."""
    is_spent: bool = False
    """Whether the chain ended because a cap is spent."""

    @property
    def message(self) -> str:
        """What happened, for people."""
        return "; ".join(f"{name}: {failure.message}" for name, failure in self.failures)

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return any(failure.kind in _PASSING for _, failure in self.failures)


_PASSING = frozenset({"throttled", "overloaded", "unavailable", "timed_out"})
StreamedAnswer = Generator[str, None, ModelOutcome]
"""The text of an answer as it arrives; returns the outcome."""
StreamReader = Callable[[str, StreamedAnswer | ModelFailure], Generator[Shown, None, Reading[T] | ModelFailure]]
"""Reads what the model of a name writes, or why it cannot be asked. It yields what may be shown of the answer, and
returns what it says."""


@dataclass(frozen=True, slots=True)
class ChainedModel:
    """A model of a chain."""

    name: str
    """Under `models`."""
    label: str | None = None
    """How reports name it; `None` for its provider's name."""
    timeout_seconds: float | None = None
    """The longest that its part may take, with waits, retries and a repair; `None` for what its entry says."""


class ModelChain(Protocol):
    """Models that are asked in turn until one gives an answer that can be used. Each is opened when its turn comes."""

    def ask(
        self, prompt: ModelPrompt, data: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Reading[T]]
    ) -> Reply[T] | NoReply:
        """Return the first typed answer without faults, or else the first that can be used.

        Raises:
            StoreError: when the record of the budget cannot be read or written.
        """
        ...

    def stream(
        self, prompt: ModelPrompt, data: Mapping[str, Any], read: StreamReader[Shown, T]
    ) -> Generator[Shown, None, Reply[T] | NoReply]:
        """Ask as `ask` does, yielding what the reader shows of each answer. Closing the generator cancels the call."""
        ...

    def close(self) -> None:
        """Book what was spent and release the reserved money; no call may follow."""
        ...


class ModelSource(Protocol):
    """The models under `models`, for a capability to ask."""

    @property
    def entries(self) -> Mapping[str, ModelEntry]:
        """The models by the names under which they are configured."""
        ...

    def require(self, name: str) -> ModelFacts:
        """Return the facts of a model that has all that a call needs; loads no SDK.

        Raises:
            ConfigurationError: when the name or the price is unknown, or the key, the package or the region is missing.
        """
        ...

    def chain(self, models: Sequence[ChainedModel], account: ModelAccount, stop: StopToken) -> ModelChain:
        """Return the chain of some models, which book to an account until a stop; close it after use."""
        ...

    def may_send(self) -> Callable[[str], bool] | None:
        """Read which databases may be shown to models; the result says so for the name of one, `None` for all.

        Raises:
            ConfigurationError: when the configuration is not YAML.
        """
        ...
