"""The configuration of an interrogation, derived from `databases.yaml` when it is read. Never written.

Source: data model, 6.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.models import BaseUrl
from tribal_contracts.core.shape import Text, Unset, optional
from tribal_contracts.interrogation.sessions import IterationLimit

DetectiveProvider = Literal["openai", "anthropic", "gemini"]


class ProviderCredential(CamelContract):
    """One model that may question the witness. Source: data model, 6."""

    provider: DetectiveProvider
    api_key: Annotated[SecretStr, Field(min_length=20)] | Unset = optional("Left out where AWS signs the requests.")
    model: Text
    is_default: bool


class TimeoutSettings(CamelContract):
    """Wall-clock seconds of a call, its retries included. Source: data model, 6."""

    cloud_timeout: Annotated[int, Field(ge=15, le=120)] = 60
    """Of calls that leave the machine."""
    local_timeout: Annotated[int, Field(ge=15, le=360)] = 120


class WitnessModel(CamelContract):
    """The model that answers. Source: data model, 6."""

    base_url: BaseUrl = "http://127.0.0.1:11434"
    model: Text


class Configuration(CamelContract):
    """The models of the detective and the witness, and their time limits. Source: data model, 6.

    Without detectives the rules ask; without a witness the documentation answers.
    """

    detectives: list[ProviderCredential]
    witness: WitnessModel | Unset = optional("Left out where the documentation answers.")
    provider_fallback_order: list[DetectiveProvider]
    timeouts: TimeoutSettings = Field(default_factory=TimeoutSettings)
    default_iteration_limit: IterationLimit = 10

    @model_validator(mode="after")
    def _names_every_provider(self) -> Self:
        if self.detectives and [each.is_default for each in self.detectives].count(True) != 1:
            raise ValueError("exactly one detective must be the default")
        missing = {each.provider for each in self.detectives} - {*self.provider_fallback_order}
        if missing:
            raise ValueError(f"providerFallbackOrder lacks {', '.join(sorted(missing))}")
        return self
