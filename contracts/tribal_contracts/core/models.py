"""Language models: what is configured, and what their calls cost. Extension contracts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tribal_contracts.core.shape import ClosedContract, Contract, Count, Unset, optional

NANODOLLARS = 1_000_000_000
"""Nanodollars in a dollar: whole numbers, of which every price a token is made."""

ModelProvider = Literal["anthropic", "bedrock"]
Dollars = Annotated[float, Field(gt=0, le=1_000_000)]


class ModelPrice(ClosedContract):
    """What a model costs, in dollars a million tokens, for one that is not in the shipped table or has a new price."""

    input_usd: Dollars
    output_usd: Dollars
    cache_write_usd: Dollars | Unset = optional("Unset, 1.25 times the input.")
    cache_read_usd: Dollars | Unset = optional("Unset, a tenth of the input.")
    thinking: Literal["disabled", "between_tools", "adaptive"] | Unset = optional(
        "The type of thinking to send; unset, none is."
    )
    effort: Literal["low", "medium", "high"] | Unset = optional("The effort to send; unset, none is.")
    smallest_cached_prefix: Count = Field(default=4096, description="Tokens below which a prefix is never cached.")


class ModelSettings(ClosedContract):
    """The model that describes tables; without one, rules do."""

    provider: ModelProvider
    name: Annotated[str, Field(min_length=1, max_length=200)]
    """As the provider calls it, such as `claude-haiku-5-5`."""
    api_key_secret: str | Unset = optional("Name of the secret with the key of Anthropic's API.", min_length=1)
    base_url: str | Unset = optional("Address to send to instead of the provider's, such as your own gateway.")
    region: str | Unset = optional("Region of Bedrock; else what the AWS configuration says.", min_length=1)
    endpoint: Literal["messages", "runtime"] = "messages"
    """Of Bedrock: `runtime` for models that only `bedrock-runtime` serves."""
    calls_at_once: int = Field(default=5, ge=1, le=500)
    """Calls in progress at once, over all processes and functions of a run."""
    per_run_usd: Dollars = 5.0
    per_day_usd: Dollars = 20.0
    """Days are UTC."""
    call_timeout_seconds: float = Field(default=60.0, gt=0, le=300)
    """The longest that a call may take, its retries included."""
    language: str = Field(default="English", min_length=1, max_length=60, pattern=r"^[^\r\n{}]+$")
    terms: dict[
        Annotated[str, Field(min_length=1, max_length=80)], Annotated[str, Field(min_length=1, max_length=400)]
    ] = Field(default_factory=dict, max_length=200, description="Your own words, and what they mean.")
    price: ModelPrice | Unset = optional("For a model that is not in the shipped table, or whose price has changed.")

    @model_validator(mode="after")
    def _belongs_to_the_provider(self) -> Self:
        if self.provider == "anthropic" and self.api_key_secret is None:
            raise ValueError("provider anthropic needs api_key_secret, the name of the secret with its key")
        if self.provider == "bedrock" and self.api_key_secret is not None:
            raise ValueError("api_key_secret belongs to provider anthropic; Bedrock takes the current AWS identity")
        if self.provider == "anthropic" and (self.region is not None or self.endpoint != "messages"):
            raise ValueError("region and endpoint belong to provider bedrock")
        return self


class ModelUsage(Contract):
    """What calls of a model have used; failed calls count too."""

    calls: Count = 0
    input_tokens: Count = 0
    cache_write_tokens: Count = 0
    cache_read_tokens: Count = 0
    output_tokens: Count = 0
    """Thinking included."""
    time_ms: Count = 0
    """Sum of the calls' wall time."""
    nanodollars: Count = 0

    @property
    def tokens(self) -> int:
        """All tokens: input, cache writes, cache reads and output."""
        return self.input_tokens + self.cache_write_tokens + self.cache_read_tokens + self.output_tokens

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(**{name: getattr(self, name) + getattr(other, name) for name in ModelUsage.model_fields})


def sum_usage(usages: Iterable[ModelUsage | None]) -> ModelUsage | None:
    """The sum; `None` where there was no call."""
    total = sum((usage for usage in usages if usage is not None), start=ModelUsage())
    return total if total.calls else None


class ModelQuote(Contract):
    """What describing would take, estimated before anything is sent; samples and repairs come on top."""

    calls: Count = 0
    tokens: Count = 0
    """Input at three bytes a token, and an answer of usual length."""
    nanodollars: Count = 0
    """Without what the provider's cache saves."""
    seconds: float = 0.0

    def __add__(self, other: ModelQuote) -> ModelQuote:
        return ModelQuote(**{name: getattr(self, name) + getattr(other, name) for name in ModelQuote.model_fields})
