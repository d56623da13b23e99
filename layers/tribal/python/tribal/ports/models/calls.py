"""Calls of language models."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

from tribal_contracts import ModelTest, ModelUsage

FailureKind = Literal[
    "refused",  # the model declined
    "truncated",  # the answer reached its most tokens
    "too_long",  # the request is larger than the model's context
    "malformed",  # the answer does not match the schema
    "rejected",  # the provider refuses this request; another may pass
    "throttled",  # 429: too many requests or tokens
    "overloaded",  # 529
    "unavailable",  # 5xx, no connection, cut, redirected, no API
    "timed_out",  # the deadline has passed
    "stopped",  # no call can succeed until a person fixes key, permission, model or credit
    "exhausted",  # our own limit is reached; nothing was sent
    "interrupted",  # the run is ending; nothing was sent
]

_THINKING_TOKENS = 2_000
"""Tokens for a model whose thinking cannot be switched off. By judgement: little thinking about one table."""
_DOES_NOT_THINK = ("disabled", "between_tools")
BYTES_A_TOKEN = 3
"""Of usual prompts and answers, for estimates; text and JSON of databases have between three and four."""
FIRST_TOKEN_FACTOR = 5
"""How many times longer than between two tokens to wait for the first: reading a prompt is slow on a CPU."""


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """Token prices, in US dollars per million tokens."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal

    def times(self, factor: Decimal) -> ModelPrices:
        """The prices times a surcharge."""
        return ModelPrices(*(price * factor for price in (self.input, self.output, self.cache_write, self.cache_read)))


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model that are needed before it is called."""

    name: str
    """The provider's name for it."""
    prices: ModelPrices
    source: str
    """Source of the prices, and when they were read."""
    long_prompt_tokens: int | None = None
    """Above this many prompt tokens, the whole request costs `long_prompt_factor` times the prices."""
    long_prompt_factor: Decimal = Decimal(1)
    thinking: str | None = None
    """The type of thinking to send."""
    effort: str | None = None
    """The effort to send."""
    smallest_cached_prefix: int = 4096
    """Tokens below which a prefix is never cached."""
    limits_completion: bool = False
    """Whether OpenAI's protocol has to call the limit of its output `max_completion_tokens`."""

    @property
    def thinking_tokens(self) -> int:
        """Tokens for thinking to add to the limit of an answer."""
        return 0 if self.thinking in _DOES_NOT_THINK else _THINKING_TOKENS

    def cost(self, usage: ModelUsage) -> int:
        """The cost of one call in nanodollars, rounded up."""
        prompt = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        dollars_a_million = (
            usage.input_tokens * self.prices.input
            + usage.cache_write_tokens * self.prices.cache_write
            + usage.cache_read_tokens * self.prices.cache_read
            + usage.output_tokens * self.prices.output
        )
        if self.long_prompt_tokens is not None and prompt > self.long_prompt_tokens:
            dollars_a_million *= self.long_prompt_factor
        return math.ceil(dollars_a_million * 1_000)

    def worst(self, request_bytes: int, max_tokens: int) -> int:
        """The maximum cost of a call in nanodollars, known before it is made.

        Counts every byte as a token written to the cache: there are never more tokens than bytes, and real text has
        about a third as many, which leaves a margin for what the provider adds to a request.
        """
        return self.cost(ModelUsage(cache_write_tokens=request_bytes, output_tokens=max_tokens))

    def worst_price(self, request: ModelRequest) -> int:
        """`worst` of a request."""
        return self.worst(request.size_bytes, request.max_tokens)


def _never() -> bool:
    return False


def ignore_text(_piece: str) -> None:
    """Do nothing with a piece of an answer."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What a call may take; see the fields of `ModelRequest`."""

    deadline_seconds: float
    longest_seconds: float | None = None
    idle_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model."""

    prefix: str
    """Identical in every request of a run, so that the provider caches it."""
    part: str
    """The part that is specific to this request."""
    schema: Mapping[str, Any] | None
    """JSON Schema of the answer, the same in every request of a run; `None` asks for text."""
    max_tokens: int
    """The most tokens of output, thinking included."""
    deadline_seconds: float
    """Time limit for the call, including retries, unless `longest_seconds` gives it more."""
    longest_seconds: float | None = None
    """Time limit for one attempt, if more than the deadline is left: before the process has to end, all that is left.

    Retries still begin within the deadline."""
    idle_seconds: float | None = None
    """Stream the answer, and end the call when nothing arrives for this long, or `FIRST_TOKEN_FACTOR` times as long
    before the first token. `None` waits for the whole answer."""
    is_trial: bool = False
    """Whether it finds out if the server binds answers: the schema is sent, but the prompt does not show it."""
    retries: bool = True
    """Whether to retry a failure that may pass even if the provider does not say when."""
    waits_count: bool = False
    """Whether waiting for a turn, for money and for the provider takes the call's time too, because someone waits."""
    stopped: Callable[[], bool] = field(default=_never, compare=False, repr=False)
    """Whether a stream should end early, because no one reads it; it is asked a few times a second."""
    on_text: Callable[[str], None] = field(default=ignore_text, compare=False, repr=False)
    """Called with each piece of a streamed answer as it arrives, on another thread; it must not wait."""

    @property
    def schema_in_words(self) -> str:
        """The schema as an instruction, for providers without a field for it; empty without a schema.

        It is identical in every request of a run.
        """
        if self.schema is None:
            return ""
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return f"Answer with one JSON object of this JSON schema, and with nothing before or after it:\n{schema}"

    @property
    def size_bytes(self) -> int:
        """Size in bytes of everything that the model sees, including the schema as an instruction."""
        return sum(len(text.encode()) for text in (self.prefix, self.part, self.schema_in_words))


@dataclass(frozen=True, slots=True)
class UnsentRequest:
    """A request exactly as it would be sent to the provider."""

    address: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A complete answer."""

    value: Mapping[str, Any]
    """The JSON object; the caller checks it against the schema. Empty if the request had no schema."""
    usage: ModelUsage
    text: str = ""
    """The answer as the model wrote it, without its thoughts."""
    model: str = field(default="", compare=False)
    """The model that answered, as the server names it; empty if it does not say."""
    retried: tuple[ModelFailure, ...] = field(default=(), compare=False, repr=False)
    """Attempts that failed before it."""


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """Why there is no answer; `message` contains no text of the model, and of the server only what may be repeated."""

    kind: FailureKind
    message: str
    usage: ModelUsage = field(default_factory=ModelUsage)
    retry_after_seconds: float | None = None
    """The delay that the provider asks for."""
    unseen: bool = False
    """Whether a request was sent whose usage is unknown; record its maximum price."""
    may_retry: bool | None = None
    """Whether the provider says that a retry can help; `None` if it does not say."""
    text: str = field(default="", compare=False, repr=False)
    """What had arrived of an answer that ended early, for its complete parts; never shown."""
    retried: tuple[ModelFailure, ...] = field(default=(), compare=False, repr=False)
    """Attempts that failed before it."""


ModelOutcome = ModelAnswer | ModelFailure


@dataclass(frozen=True, slots=True)
class ModelReadiness:
    """Whether a configured model can be called."""

    section: str
    """Where it is configured: `model`, or `models.NAME`."""
    name: str
    """Provider and model, such as `anthropic/claude-haiku-5-5`."""
    prices: str
    """Source of its prices, and when they were read; empty if unknown."""
    missing: str = ""
    """Why a call would fail, or did; empty if nothing is known to be missing."""
    needs_key: bool = False
    answered_ms: int | None = None
    """How long one answer took; `None` if nothing was asked."""
    usd: float = 0.0
    """What its answers cost."""
    test: ModelTest | None = None
    """The result of its test; `None` if it was not tested."""
    unread: str = ""
    """Why an answer of the test could not be read; empty if all could be."""
    calls_at_once: int = 1
    """Parallel calls that a run may make."""
    warning: str = ""
    """What else to report; empty if nothing."""

    @property
    def problem(self) -> str:
        """Why it cannot be used, or why it is not fit to describe tables; empty if neither is known."""
        return self.missing or (self.test.problem if self.test is not None else "")


@dataclass(frozen=True, slots=True)
class ModelAnnouncement:
    """What trying a model would send, reported before it is sent."""

    section: str
    """Where the model is configured."""
    name: str
    sends: str
    most_usd: float
    """What the answers may cost at most."""


class LanguageModel(Protocol):
    """Answers requests, in JSON of a schema or in text. Thread-safe; a provider's failures are returned, not raised."""

    @property
    def name(self) -> str:
        """Provider and model, such as `anthropic/claude-haiku-5-5`."""
        ...

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Send one request and wait for the answer or the deadline; both report usage."""
        ...

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Send one request, yield its text as it arrives, and return the same outcome as `ask`.

        Closing the generator cancels the call, whose usage is then unknown. Nothing is sent before the first `next`.
        """
        ...


class BudgetedModel(LanguageModel, Protocol):
    """A model that keeps to a budget, from which it reserves money."""

    def stop(self, message: str) -> None:
        """End the calls of the account, here and in every other process."""
        ...

    def close(self) -> None:
        """Book what was spent and release the reserved money; no call may follow."""
        ...


@dataclass(frozen=True, slots=True)
class Spending:
    """Dollars spent today (UTC) and in the latest run that used a model."""

    day_usd: float = 0.0
    run_usd: float = 0.0
    unsettled_usd: float = 0.0
    """The part of `day_usd` for calls with unknown outcome, at maximum prices."""
    reserved_usd: float = 0.0
    """Amount reserved by running processes, in addition."""
    run_id: str = ""
    """Empty if no model was ever used."""
    stopped: str | None = None
    """Why that run stopped calling the model, and what to do."""
    damaged: bool = False
    """Whether the record is unreadable, so that spending is unknown and no model is called."""
    day_usd_by_account: Mapping[str, float] = field(default_factory=dict)
    """The parts of `day_usd` that were not for a run, by account, such as `session:ID`."""
