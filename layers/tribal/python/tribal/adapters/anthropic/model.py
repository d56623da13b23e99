"""Builds the adapter for Anthropic's own API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tribal.adapters.language_models.refusals import Advice

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.adapters.language_models.connection import Unsent
    from tribal.ports import LanguageModel, ModelFacts
    from tribal_contracts import ModelEntry

HEADERS = {"anthropic-version": "2026-10-21"}
"""The version of the API whose shapes are read here; anthropic 2.12 sends the same."""

ADVICE = Advice(
    id="anthropic",
    provider="Anthropic",
    login="put a working key into the secret named by model.api_key_secret",
    permission="use a key of a workspace that may use the model, or name another one in model.name",
    model="check model.name, and model.base_url if you set it",
    money="add credit or raise the limit in the Claude Console (Billing, Limits), then run again",
    account="see the notices of your organization in the Claude Console, or ask Anthropic's support",
)


def anthropic_model(
    settings: ModelEntry,
    facts: ModelFacts,
    api_key: SecretStr,
    renew_key: Callable[[], SecretStr | None] | None = None,
    unsent: Unsent | None = None,
) -> LanguageModel:
    """The model of the settings at Anthropic.

    Args:
        renew_key: looks the key up again, past every cache; called after the key was refused.
        unsent: captures requests instead of sending them; no key is needed.
    """
    from anthropic import APIConnectionError, APIStatusError, AsyncAnthropic

    from tribal.adapters.anthropic.messages import Messages
    from tribal.adapters.language_models.connection import ApiKey, http_client
    from tribal.adapters.language_models.http_model import HttpModel, Sdk

    credentials = unsent or ApiKey(api_key, renew_key)
    client = AsyncAnthropic(
        # `http_client` sends the key, which may change.
        api_key="never sent",
        base_url=settings.address,
        max_retries=0,
        open_telemetry=False,
        http_client=http_client(credentials, HEADERS, unsent),
    )
    sdk = Sdk(client, APIConnectionError, APIStatusError)
    return HttpModel(sdk, facts, Messages(facts, ADVICE), credentials, ADVICE)
