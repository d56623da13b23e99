"""The part `interrogation` of `databases.yaml`. Extension contract."""

from __future__ import annotations

from pydantic import Field

from tribal_contracts.core.shape import CapabilitySettings
from tribal_contracts.interrogation.sessions import IterationLimit


class InterrogationSettings(CapabilitySettings):
    """The part `interrogation` of `databases.yaml`."""

    iterations: IterationLimit = 10
    answer_tokens: int = Field(default=1_200, ge=500, le=8_000)
    sessions_days: int = Field(default=365, ge=1)
