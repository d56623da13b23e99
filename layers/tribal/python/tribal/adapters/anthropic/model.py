"""Builds the adapter for Anthropic's own API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tribal.adapters.anthropic.refusals import Advice
from tribal.errors import ConfigurationError, TribalError

if TYPE_CHECKING:
    import httpx2
    from pydantic import SecretStr

    from tribal.adapters.anthropic.connection import Unsent
    from tribal.ports import LanguageModel, ModelFacts
    from tribal_contracts import ModelSettings

ADDRESS = "https://api.anthropic.com"

ADVICE = Advice(
    id="anthropic",
    provider="Anthropic",
    login="put a working key into the secret named by model.api_key_secret",
    permission="use a key of a workspace that may use the model, or name another one in model.name",
    model="check model.name, and model.base_url if you set it",
    money="add credit or raise the limit in the Claude Console (Billing, Limits), then run again",
    account="see the notices of your organization in the Claude Console, or ask Anthropic's support",
)


class ApiKey:
    """An API key, which is looked up again after it was refused."""

    def __init__(self, key: SecretStr, renew: Callable[[], SecretStr | None] | None) -> None:
        self._key = key.get_secret_value().strip()
        self._renew = renew
        self._renewing = asyncio.Lock()

    @property
    def current(self) -> object:
        """The key."""
        return self._key

    async def prepare(self) -> None:
        """Check that the key can be sent.

        Raises:
            ConfigurationError: when it has characters that no key has.
        """
        if not (self._key.isascii() and self._key.isprintable() and self._key):
            raise ConfigurationError(
                "the secret named by model.api_key_secret does not contain a key; write the key into it"
            )

    def headers(self, _request: httpx2.Request) -> Mapping[str, str]:
        """The key as a header."""
        return {"authorization": f"Bearer {self._key}"}

    async def renew(self, refused: object) -> bool:
        """Look the key up, once for all calls that were refused with it."""
        async with self._renewing:
            if self.current == refused and self._renew is not None:
                try:
                    found = await asyncio.to_thread(self._renew)
                except TribalError:
                    found = None
                if found is not None:
                    self._key = found.get_secret_value().strip()
            return self.current != refused


def anthropic_model(
    settings: ModelSettings,
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
    from anthropic import AsyncAnthropic

    from tribal.adapters.anthropic.connection import http_client
    from tribal.adapters.anthropic.messages_model import MessagesModel

    credentials = unsent or ApiKey(api_key, renew_key)
    client = AsyncAnthropic(
        # `http_client` sends the key, which may change.
        api_key="never sent",
        base_url=settings.base_url or ADDRESS,
        max_retries=0,
        open_telemetry=False,
        http_client=http_client(credentials, unsent),
    )
    return MessagesModel(client, facts, credentials, ADVICE)
