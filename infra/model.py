"""The section `model` of an environment: the model that describes tables.

It has the same keys as `model` in `databases.yaml`, repeated because deployment code does not import deployed code; a
test compares the two.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Dollars = Annotated[float, Field(gt=0, le=1_000_000)]
_SECRET = re.compile(r"[A-Za-z0-9/_+=.@:-]+(#.+)?\Z")
_ID = re.compile(r"(?!arn:)[A-Za-z0-9.:_-]+\Z")
_PROFILE = re.compile(r"[a-z]+(?:-[a-z]+)*\.(?P<model>[a-z]+\.[^/]+)\Z")


class Part(BaseModel):
    """A section of an environment: frozen, without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelPrice(Part):
    """What a model costs, in dollars a million tokens."""

    input_usd: Dollars
    output_usd: Dollars
    cache_write_usd: Dollars | None = None
    cache_read_usd: Dollars | None = None
    thinking: Literal["disabled", "between_tools", "adaptive"] | None = None
    effort: Literal["low", "medium", "high"] | None = None
    smallest_cached_prefix: int = Field(default=4096, ge=0)


class Model(Part):
    """Which model describes tables, and what it may cost."""

    provider: Literal["anthropic", "bedrock"]
    name: str = Field(min_length=1, max_length=200)
    """On Bedrock the id of a model or, for `endpoint: runtime`, of an inference profile such as `eu.anthropic...`."""
    api_key_secret: str | None = Field(default=None, min_length=1)
    base_url: str | None = None
    region: str | None = Field(default=None, min_length=1)
    endpoint: Literal["messages", "runtime"] = "messages"
    calls_at_once: int = Field(default=5, ge=1, le=500)
    per_run_usd: Dollars = 5.0
    per_day_usd: Dollars = 20.0
    call_timeout_seconds: float = Field(default=60.0, gt=0, le=300)
    language: str = Field(default="English", min_length=1, max_length=60, pattern=r"^[^\r\n{}]+$")
    terms: dict[
        Annotated[str, Field(min_length=1, max_length=80)], Annotated[str, Field(min_length=1, max_length=400)]
    ] = Field(default_factory=dict, max_length=200)
    price: ModelPrice | None = None

    @model_validator(mode="after")
    def _belongs_to_the_provider(self) -> Self:
        if self.provider == "anthropic" and self.api_key_secret is None:
            raise ValueError("provider anthropic needs api_key_secret, the name of the secret with its key")
        if self.provider == "bedrock" and self.api_key_secret is not None:
            raise ValueError("api_key_secret belongs to provider anthropic; Bedrock takes the role of the functions")
        if self.provider == "anthropic" and (self.region is not None or self.endpoint != "messages"):
            raise ValueError("region and endpoint belong to provider bedrock")
        return self

    @property
    def variable(self) -> str:
        """The part as functions get it in their environment."""
        return self.model_dump_json(exclude_unset=True, exclude_none=True)

    @property
    def profiled_model(self) -> str | None:
        """The id of the model behind an inference profile; `None` where the model itself is named."""
        profile = _PROFILE.match(self.name)
        return profile["model"] if profile else None

    @property
    def obstacles(self) -> list[str]:
        """Why no permission for this model alone can be written."""
        found = []
        if self.api_key_secret is not None and not _SECRET.match(self.api_key_secret):
            found.append("model.api_key_secret is not a secret name; write one without wildcards")
        if self.provider == "bedrock" and not _ID.match(self.name):
            found.append("model.name is not the id of a model or an inference profile; for an ARN, write its last part")
        return found
