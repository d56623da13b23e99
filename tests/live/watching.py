"""A model whose answers can be looked at as they came."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2
from pydantic import SecretStr

from tribal.adapters.anthropic.model import anthropic_model
from tribal.adapters.openai.model import openai_model
from tribal.ports import LanguageModel, ModelFacts
from tribal_contracts import ModelEntry


@dataclass(frozen=True)
class WatchedModel:
    """A model, and the bodies of all that it was answered."""

    model: LanguageModel
    answers: list[dict[str, Any]] = field(default_factory=list)


def watched_model(settings: ModelEntry, facts: ModelFacts, key: SecretStr) -> WatchedModel:
    """The adapter of a provider, on a connection that keeps the answers."""
    build = anthropic_model if settings.provider == "anthropic" else openai_model
    model: Any = build(settings, facts, key)
    watched = WatchedModel(model)

    async def keep(response: httpx2.Response) -> None:
        is_call = response.request.url.path.endswith(("/messages", "/chat/completions"))
        if is_call and response.is_success and response.headers.get("content-type", "").startswith("application/json"):
            await response.aread()
            watched.answers.append(json.loads(response.content))

    model._sdk.client._client.event_hooks = {"response": [keep]}  # the adapter shows its answers to no one
    return watched
