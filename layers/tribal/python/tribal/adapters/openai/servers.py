"""Models of servers that speak OpenAI's protocol. The server is looked up before the first question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from tribal.adapters.language_models.connection import Credentials
from tribal.adapters.language_models.http_model import HttpModel, Sdk
from tribal.adapters.language_models.limits import ResponseTooLargeError, read_body
from tribal.adapters.language_models.refusals import Advice, read_object, repeatable, text_of
from tribal.adapters.openai.chat import Chat
from tribal.ports import ModelAnswer, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal.ports.models.calls import BYTES_A_TOKEN
from tribal_contracts import ModelUsage

OLLAMA_CONTEXT = "give Ollama a longer context: OLLAMA_CONTEXT_LENGTH, or a model of your own with PARAMETER num_ctx"
_OLLAMA_DEFAULT = 4_096
"""Tokens, if the server does not say (https://docs.ollama.com/context-length)."""
_ANSWER_SHARE = 3
"""Limits of answers are three times what answers usually have, which has to fit next to the prompt."""
_RECOGNISED = frozenset({"llamacpp", "vllm", "sglang"})
"""Servers that bind answers to a schema, by `owned_by` in their list of models."""
_NOT_READY = 500
_LM_STUDIO = frozenset({"organization_owner", "organization-owner"})
_CONTEXTS = ("max_model_len", "loaded_context_length", "context_length", "max_context_length")
"""Names of the context length in lists of models: vLLM and SGLang, LM Studio, OpenRouter, Mistral."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server and one of its models, as the server reports them."""

    binds_answers: bool = False
    """Whether it is known to bind answers to a schema."""
    context_tokens: int | None = None


class CompatibleModel(HttpModel):
    """A model of a server that is not one of the vendors': it is looked up before the first call.

    A prompt that does not fit is not sent. On this machine, another model than the one that answered first is a
    failure: someone has loaded it in between.

    Args:
        context_tokens: for a server that does not report its context length.
        configured_binding: whether it binds answers, by the settings; `None` if they do not say.
        tried_binding: the same by a trial; `None` without one.
    """

    _look_seconds: float | None = 10.0

    def __init__(
        self,
        sdk: Sdk,
        facts: ModelFacts,
        dialect: Chat,
        credentials: Credentials,
        advice: Advice,
        *,
        is_local: bool,
        context_tokens: int | None,
        configured_binding: bool | None,
        tried_binding: bool | None,
    ) -> None:
        super().__init__(sdk, facts, dialect, credentials, advice, is_local=is_local)
        self._chat = dialect
        self._context_tokens = context_tokens
        self._configured_binding = configured_binding
        self._tried_binding = tried_binding
        self._looking = asyncio.Lock()
        self._server: Server | None = None
        self._answered_by = ""

    def _checked(self, outcome: ModelOutcome, request: ModelRequest) -> ModelOutcome:
        if request.is_trial and isinstance(self._dialect, Chat):
            follows = isinstance(outcome, ModelAnswer) and outcome.value.keys() == _members(request)
            self._dialect = replace(self._dialect, binds_answers=follows and self._dialect.binds_answers)
        if not (self._is_local and isinstance(outcome, ModelAnswer) and outcome.model):
            return outcome
        self._answered_by = self._answered_by or outcome.model
        if outcome.model == self._answered_by:
            return outcome
        now, before = (repeatable(name, request) for name in (outcome.model, self._answered_by))
        changed = f"the server answered with the model {now!r}, after {before!r} before"
        return ModelFailure("stopped", f"{changed}; load the one that should describe and run again", outcome.usage)

    async def _obstacle(self, request: ModelRequest) -> ModelOutcome | None:
        server = await self._looked_up_once()
        if request.is_trial and server.binds_answers:
            return ModelAnswer(dict.fromkeys(_members(request)), ModelUsage())
        if request.is_trial:
            self._dialect = replace(self._chat, binds_answers=True)
        context = server.context_tokens or self._context_tokens
        tokens = request.size_bytes // BYTES_A_TOKEN + request.max_tokens // _ANSWER_SHARE
        if context is None or tokens <= context:
            return None
        needed = f"prompt and answer have about {tokens:,} tokens, more than the context length of {context:,}"
        return ModelFailure("too_long", f"{needed}; {self._chat.longer_context}")

    async def _looked_up_once(self) -> Server:
        """Look the server up, unless an earlier call has; the next call tries again if it is not ready."""
        async with self._looking:
            if self._server is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._look_seconds):
                        self._server = await self._looked_up()
                binds = self._configured_binding
                if binds is None:
                    binds = bool(self._tried_binding) or (self._server or Server()).binds_answers
                self._dialect = replace(self._chat, binds_answers=binds)
            return self._server or Server()

    async def _looked_up(self) -> Server | None:
        """Look the server up; `None` if it is not ready."""
        listed = await self._fetch("models")
        if listed is None:
            return None
        models = listed.get("data")
        known = [each for each in models if isinstance(each, Mapping)] if isinstance(models, list) else []
        return await self._described(known)

    async def _described(self, listed: list[Mapping[str, Any]]) -> Server:
        named = [each for each in listed if each.get("id") == self._facts.name] or (listed if len(listed) == 1 else [])
        model: Mapping[str, Any] = named[0] if named else {}
        owner = next((text_of(each.get("owned_by")) for each in (*named, *listed)), "")
        context = _first_count(model, _CONTEXTS)
        if owner == "llamacpp":
            settings = (await self._fetch("props", native=True) or {}).get("default_generation_settings")
            meta = model.get("meta")
            context = _first_count(settings, ("n_ctx",)) or _first_count(meta, ("n_ctx",)) or context
        elif owner in _LM_STUDIO:
            native = (await self._fetch("api/v0/models", native=True) or {}).get("data")
            own = [each for each in native if isinstance(each, Mapping)] if isinstance(native, list) else []
            found = next((each for each in own if each.get("id") == self._facts.name), {})
            return Server(bool(own), _first_count(found, _CONTEXTS) or context)
        return Server(owner in _RECOGNISED, context)

    async def _fetch(
        self, path: str, body: dict[str, Any] | None = None, *, native: bool = False
    ) -> dict[str, Any] | None:
        """Get a page of the server, or post to it; empty if it refuses, `None` if it is not ready.

        Args:
            native: whether the path belongs to the server's own API.
        """
        base = str(self._sdk.client.base_url).rstrip("/")
        address = f"{base.removesuffix('/v1') if native else base}/{path}"
        await self._credentials.prepare()
        try:
            client, options = self._sdk.client, {"cast_to": httpx2.Response, "stream": True}
            call = client.get(address, **options) if body is None else client.post(address, body=body, **options)
            response = await call
            return read_object(await read_body(response))
        except self._sdk.status_error as exc:
            status: int = exc.response.status_code  # type: ignore[attr-defined]  # the SDK's errors have it
            return None if status >= _NOT_READY else {}
        except (ResponseTooLargeError, httpx2.DecodingError):
            return {}


class OllamaModel(CompatibleModel):
    """A model of Ollama, which silently cuts prompts that are longer than its context."""

    # Loading a model may take minutes.
    _look_seconds = None

    async def _looked_up(self) -> Server | None:
        """The context of the loaded model; an empty request loads it (https://docs.ollama.com/api/generate)."""
        name = self._facts.name
        await self._fetch("api/generate", {"model": name, "stream": False}, native=True)
        loaded = (await self._fetch("api/ps", native=True) or {}).get("models")
        known = [each for each in loaded if isinstance(each, dict)] if isinstance(loaded, list) else []
        found = next((each for each in known if name in (each.get("name"), each.get("model"))), {})
        return Server(True, _first_count(found, ("context_length",)) or self._context_tokens or _OLLAMA_DEFAULT)


def _members(request: ModelRequest) -> set[str]:
    return set((request.schema or {}).get("required", ()))


def _first_count(holder: object, names: tuple[str, ...]) -> int | None:
    found = [holder.get(name) for name in names] if isinstance(holder, Mapping) else []
    return next((count for count in found if type(count) is int and count > 0), None)
