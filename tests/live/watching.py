"""A model whose answers can be looked at as they came."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2
from anthropic import APIConnectionError, APIStatusError, AsyncAnthropic
from pydantic import SecretStr

from tribal.adapters.anthropic.messages import Messages
from tribal.adapters.anthropic.model import ADDRESS, ADVICE, HEADERS
from tribal.adapters.language_models.connection import ApiKey, http_client
from tribal.adapters.language_models.http_model import HttpModel, Sdk
from tribal.ports import LanguageModel, ModelFacts
from tribal_contracts import ModelSettings


@dataclass(frozen=True)
class WatchedModel:
    """A model, and the bodies of all that it was answered."""

    model: LanguageModel
    answers: list[dict[str, Any]] = field(default_factory=list)


def watched_model(settings: ModelSettings, facts: ModelFacts, key: SecretStr) -> WatchedModel:
    """The adapter for Anthropic, on a connection that keeps the answers."""
    credentials = ApiKey(key, None)
    client = http_client(credentials, HEADERS)
    sdk = AsyncAnthropic(
        api_key="never sent",
        base_url=settings.base_url or ADDRESS,
        max_retries=0,
        open_telemetry=False,
        http_client=client,
    )
    watched = WatchedModel(
        HttpModel(Sdk(sdk, APIConnectionError, APIStatusError), facts, Messages(facts, ADVICE), credentials, ADVICE)
    )

    async def keep(response: httpx2.Response) -> None:
        await response.aread()
        if response.is_success:
            watched.answers.append(json.loads(response.content))

    client.event_hooks = {"response": [keep]}
    return watched
