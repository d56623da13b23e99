"""Language models."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
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
class ModelPrices:
    """What tokens cost, in dollars a million, by one price list."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal

    def times(self, factor: Decimal) -> ModelPrices:
        """The same list at a surcharge."""
        return ModelPrices(*(price * factor for price in (self.input, self.output, self.cache_write, self.cache_read)))


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What has to be known of a model before it may be asked."""

    name: str
    """As the provider calls it."""
    prices: ModelPrices
    source: str
    """Where the prices stand, and when they were read."""
    long_prompt_tokens: int | None = None
    """Above so many tokens of prompt the whole request costs `long_prompt_factor` times the prices."""
    long_prompt_factor: Decimal = Decimal(1)
    thinking: str | None = None
    """The type of thinking to send."""
    effort: str | None = None
    """The effort to send."""
    smallest_cached_prefix: int = 4096
    """Tokens below which a prefix is never cached."""

    def cost(self, usage: ModelUsage) -> int:
        """Nanodollars that these tokens of one call cost, rounded up."""
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
        """Nanodollars that a call can cost at the most, before it is made.

        Every byte counts as a token that is written to the cache: a tokenizer over bytes never makes more tokens than
        bytes, and real text makes about a third, which leaves room for what the provider adds to a request.
        """
        return self.cost(ModelUsage(cache_write_tokens=request_bytes, output_tokens=max_tokens))

    def worst_price(self, request: ModelRequest) -> int:
        """`worst` of a request."""
        return self.worst(request.size_bytes, request.max_tokens)


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

    @property
    def schema_in_words(self) -> str:
        """Asks for the schema, for a provider that has no field for it; the same in every request of a run."""
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return f"Answer with one JSON object of this JSON schema, and with nothing before or after it:\n{schema}"

    @property
    def size_bytes(self) -> int:
        """Bytes of all that the model is shown, in UTF-8, with the schema in words wherever it goes."""
        return sum(len(text.encode()) for text in (self.prefix, self.part, self.schema_in_words))


@dataclass(frozen=True, slots=True)
class UnsentRequest:
    """A request as the provider's address would get it."""

    address: str
    body: bytes


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


@dataclass(frozen=True, slots=True)
class ModelReadiness:
    """Whether the configured model could be asked, as far as that shows without a call."""

    name: str
    """Provider and model, such as `anthropic/claude-haiku-5-5`."""
    prices: str
    """Where its prices stand, and when they were read; empty where none are known."""
    missing: str = ""
    """What a call would fail for; empty where nothing is known to be missing."""


class LanguageModel(Protocol):
    """Answers questions by a schema. Called from many threads; raises nothing that a provider can cause."""

    @property
    def name(self) -> str:
        """Provider and model, such as `anthropic/claude-haiku-5-5`."""
        ...

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask once, and wait for the answer or the deadline; usage is reported with both."""
        ...


@dataclass(frozen=True, slots=True)
class Spending:
    """Dollars that are gone today (in UTC) and in the latest run that asked a model."""

    day_usd: float = 0.0
    run_usd: float = 0.0
    unsettled_usd: float = 0.0
    """The part of `day_usd` that nobody saw the end of, at worst prices."""
    reserved_usd: float = 0.0
    """What living processes have set aside beyond that."""
    run_id: str = ""
    """Empty where no model was ever asked."""
    stopped: str | None = None
    """Why all calls of that run ended, and what to do."""
    damaged: bool = False
    """Whether the record cannot be read, so that nothing is known and no model is asked."""
