"""Ollama: its own API, and how it cuts a prompt that is longer than its context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fakes.model_servers.counting import count
from tests.fakes.openai.vendor import VendorModel

DEFAULT_CONTEXT = 4_096
"""Tokens, on a machine with less than 24 GiB of VRAM (ollama/ollama docs/context-length.mdx)."""
_KEPT_AT_THE_START = 4
_BYTES_PER_TOKEN = 3
_ARCHITECTURE = "qwen3"
_STARTED = "2026-11-28T06:00:00Z"
_VERSION = "0.21.0"


def kept_tokens(context: int) -> int:
    """Tokens left of a prompt that is longer than the context: about half of the context.

    Source: ollama/ollama llm/llama_server.go, `contextShiftPromptLimit`.
    """
    return context - max((context - _KEPT_AT_THE_START) // 2, 1)


def cut_body(body: Mapping[str, Any], context: int) -> dict[str, Any]:
    """The request as the model gets it: without the beginning of its prompt, if that is too long for the context.

    The few tokens that Ollama keeps at the very start are cut too; they say nothing.
    """
    messages = [dict(message) for message in body["messages"]]
    size = sum(count(message["content"]) for message in messages)
    if size < context:
        return {**body, "messages": messages}
    over = (size - kept_tokens(context)) * _BYTES_PER_TOKEN
    for message in messages:
        encoded = message["content"].encode()
        message["content"] = encoded[over:].decode(errors="ignore")
        over = max(over - len(encoded), 0)
    return {**body, "messages": messages}


def shown(name: str, model: VendorModel, num_ctx: int | None) -> dict[str, Any]:
    """The answer of `POST /api/show` (ollama/ollama api/types.go, `ShowResponse`)."""
    return {
        "parameters": "" if num_ctx is None else f"num_ctx                        {num_ctx}",
        "template": "{{ .Prompt }}",
        "details": _details(name),
        "model_info": {
            "general.architecture": _ARCHITECTURE,
            f"{_ARCHITECTURE}.context_length": model.context,
            f"{_ARCHITECTURE}.embedding_length": 5_120,
        },
        "capabilities": ["completion", *(["thinking"] if model.efforts else [])],
        "modified_at": _STARTED,
    }


def loaded(contexts: Mapping[str, int]) -> dict[str, Any]:
    """The answer of `GET /api/ps` (ollama/ollama api/types.go, `ProcessResponse`), from context by loaded model."""
    models = [
        {
            "name": name,
            "model": name,
            "size": 9_000_000_000,
            "digest": "0" * 64,
            "details": _details(name),
            "expires_at": _STARTED,
            "size_vram": 0,
            "context_length": context,
        }
        for name, context in contexts.items()
    ]
    return {"models": models}


def generated(name: str) -> dict[str, Any]:
    """The answer of `POST /api/generate` without a prompt, which loads a model (ollama/ollama docs/api.md)."""
    return {"model": name, "created_at": _STARTED, "response": "", "done": True, "done_reason": "load"}


def version() -> dict[str, Any]:
    """The answer of `GET /api/version`."""
    return {"version": _VERSION}


def _details(name: str) -> dict[str, Any]:
    _, _, size = name.partition(":")
    return {"format": "gguf", "family": _ARCHITECTURE, "parameter_size": size.upper(), "quantization_level": "Q4_K_M"}
