"""Ollama, which silently cuts prompts that are longer than its context."""

from __future__ import annotations

from typing import Any

import httpx2

from tribal.adapters.language_models.http_model import HttpModel
from tribal.adapters.language_models.limits import ResponseTooLargeError, read_body
from tribal.adapters.language_models.refusals import read_object
from tribal.ports import ModelFailure, ModelRequest

LONGER_CONTEXT = "give Ollama a longer context: OLLAMA_CONTEXT_LENGTH, or a model of your own with PARAMETER num_ctx"
_DEFAULT_CONTEXT = 4_096
"""Tokens, if the server does not say (https://docs.ollama.com/context-length)."""
_BYTES_PER_TOKEN = 3


class OllamaModel(HttpModel):
    """A model of Ollama; a prompt that would be cut is not sent."""

    _context: int | None = None

    async def _obstacle(self, request: ModelRequest) -> ModelFailure | None:
        tokens, context = request.size_bytes // _BYTES_PER_TOKEN, self._context or await self._loaded_context()
        if tokens <= context:
            return None
        return ModelFailure(
            "too_long", f"the prompt has about {tokens:,} tokens, more than {context:,}; {LONGER_CONTEXT}"
        )

    async def _loaded_context(self) -> int:
        """The context of the loaded model; an empty request loads it (https://docs.ollama.com/api/generate)."""
        name = self._facts.name
        await self._native("post", "/api/generate", {"model": name, "stream": False})
        loaded = (await self._native("get", "/api/ps")).get("models")
        for model in loaded if isinstance(loaded, list) else []:
            if isinstance(model, dict) and name in (model.get("name"), model.get("model")):
                context = model.get("context_length")
                self._context = context if isinstance(context, int) else None
        return self._context or _DEFAULT_CONTEXT

    async def _native(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer of Ollama's own API; empty if it refuses."""
        address = f"{str(self._sdk.client.base_url).rstrip('/').removesuffix('/v1')}{path}"
        try:
            response = await getattr(self._sdk.client, method)(
                address, cast_to=httpx2.Response, stream=True, **({} if body is None else {"body": body})
            )
            return read_object(await read_body(response))
        except (self._sdk.status_error, ResponseTooLargeError):
            return {}
