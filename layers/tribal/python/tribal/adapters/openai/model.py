"""Builds the adapters for the vendors that speak OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tribal.adapters.language_models.refusals import Advice

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.adapters.language_models.connection import Unsent
    from tribal.ports import LanguageModel, ModelFacts
    from tribal_contracts import ModelEntry
    from tribal_contracts.core.models import EmbeddingEntry

_NAMES = {"openai": "OpenAI", "gemini": "Gemini", "groq": "Groq", "ollama": "Ollama"}
_CONSOLES = {
    "openai": "the OpenAI console (Settings, Billing and Limits)",
    "gemini": "Google AI Studio (Billing)",
    "groq": "the Groq console (Billing)",
    "ollama": "the account of the server",
}


def openai_model(
    settings: ModelEntry,
    facts: ModelFacts,
    api_key: SecretStr | None,
    renew_key: Callable[[], SecretStr | None] | None = None,
    unsent: Unsent | None = None,
    *,
    binds_answers: bool | None = None,
) -> LanguageModel:
    """The model of the settings, over OpenAI's protocol.

    Args:
        binds_answers: whether a trial has shown that the server binds answers to a schema; `None` without a trial.
        api_key: `None` for a server that takes none.
        renew_key: looks the key up again, past every cache; called after the key was refused.
        unsent: captures requests instead of sending them; no key is needed.
    """
    from openai import APIConnectionError, APIStatusError, AsyncOpenAI

    from tribal.adapters.language_models.connection import ApiKey, NoLogin, http_client
    from tribal.adapters.language_models.http_model import HttpModel, Sdk
    from tribal.adapters.openai.chat import Chat
    from tribal.adapters.openai.servers import OLLAMA_CONTEXT, CompatibleModel, OllamaModel

    credentials = unsent or (NoLogin() if api_key is None else ApiKey(api_key, renew_key))
    client = AsyncOpenAI(
        # `http_client` sends the key, which may change.
        api_key="never sent",
        base_url=base_url_of(settings),
        max_retries=0,
        http_client=http_client(credentials, {}, unsent),
    )
    is_openai = settings.provider == "openai" and settings.base_url is None
    is_vendor = settings.provider in ("gemini", "groq") or is_openai
    advice = _advice(settings)
    key = settings.token_limit_key
    chat = Chat(
        facts,
        advice,
        binds_answers=is_openai if settings.binds_answers is None else settings.binds_answers,
        schema_in_words=settings.binds_answers is None and not is_openai,
        limits_completion=is_openai or facts.limits_completion if key is None else key == "max_completion_tokens",
    )
    sdk, is_local = Sdk(client, APIConnectionError, APIStatusError), settings.is_on_this_machine
    if settings.provider == "ollama":
        chat = replace(chat, longer_context=OLLAMA_CONTEXT)
    if is_vendor or unsent is not None:
        return HttpModel(sdk, facts, chat, credentials, advice, is_local=is_local)
    over = OllamaModel if settings.provider == "ollama" else CompatibleModel
    return over(
        sdk,
        facts,
        chat,
        credentials,
        advice,
        is_local=is_local,
        context_tokens=settings.context_tokens,
        configured_binding=settings.binds_answers,
        tried_binding=binds_answers,
    )


def openai_embeddings(
    settings: EmbeddingEntry,
    facts: ModelFacts,
    api_key: SecretStr | None,
    renew_key: Callable[[], SecretStr | None] | None = None,
) -> LanguageModel:
    """The model of the settings that makes vectors: `ask` takes a JSON list of texts, and answers with `vectors`.

    Args:
        api_key: `None` for a server that takes none.
        renew_key: looks the key up again, past every cache; called after the key was refused.
    """
    from openai import APIConnectionError, APIStatusError, AsyncOpenAI

    from tribal.adapters.language_models.connection import ApiKey, NoLogin, http_client
    from tribal.adapters.language_models.http_model import HttpModel, Sdk
    from tribal.adapters.openai.embeddings import Embeddings

    entry = settings.entry
    credentials = NoLogin() if api_key is None else ApiKey(api_key, renew_key)
    client = AsyncOpenAI(
        api_key="never sent", base_url=base_url_of(entry), max_retries=0, http_client=http_client(credentials, {})
    )
    dialect = Embeddings(facts, settings.dimensions, sends_dimensions=settings.provider != "ollama")
    sdk = Sdk(client, APIConnectionError, APIStatusError)
    return HttpModel(sdk, facts, dialect, credentials, _advice(entry), is_local=entry.is_on_this_machine)


def base_url_of(settings: ModelEntry) -> str:
    """The address of the API, with `/v1` where an address has no path."""
    address = settings.address
    return address if urlsplit(address).path.strip("/") else f"{address.rstrip('/')}/v1"


def _advice(settings: ModelEntry) -> Advice:
    provider, console = settings.provider, _CONSOLES[settings.provider]
    is_ollama = provider == "ollama"
    return Advice(
        id=provider,
        provider=_NAMES[provider] if settings.base_url is None or provider != "openai" else "The server",
        login="put a working key into the secret named by model.api_key_secret",
        permission="use a key that may use the model, or name another model in model.name",
        model=f"run: ollama pull {settings.name}" if is_ollama else "check model.name and model.base_url",
        money=f"add credit or raise the limit in {console}, then run again",
        account=f"see {console}, or ask the provider's support",
        connection=_START_OLLAMA if is_ollama and settings.base_url is None else "check network and model.base_url",
    )


_START_OLLAMA = "start it with: ollama serve"
