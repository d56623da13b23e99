"""Requests to the fakes, raw and by the vendor's own client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
from openai import OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.fakes.openai.server import KEY, FakeOpenAI
from tests.fakes.openai.vendor import MODELS, VendorName

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "more": {"type": "array", "items": {"type": "string"}}},
    "required": ["text", "more"],
    "additionalProperties": False,
}
BOUND: dict[str, Any] = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
IN_WORDS = f"Describe tables. Answer by the schema:\n{json.dumps(SCHEMA)}"


def body(vendor: VendorName, **changes: Any) -> dict[str, Any]:
    """A request that is in order, with changes; a member that is `None` is left out."""
    whole = {
        "model": next(iter(MODELS[vendor])),
        "max_completion_tokens" if vendor == "openai" else "max_tokens": 300,
        "messages": [{"role": "system", "content": IN_WORDS}, {"role": "user", "content": "Describe it."}],
        **changes,
    }
    return {name: value for name, value in whole.items() if value is not None}


def post(server: FakeOpenAI, sent: dict[str, Any], key: str = KEY) -> httpx2.Response:
    """The raw response."""
    return httpx2.post(f"{server.address}/chat/completions", json=sent, headers={"authorization": f"Bearer {key}"})


def client(server: FakeOpenAI) -> OpenAI:
    """The vendor's own client."""
    return OpenAI(api_key=KEY, base_url=server.address, max_retries=0, timeout=5)


def ask(server: FakeOpenAI, **changes: Any) -> ChatCompletion:
    """A whole answer."""
    with client(server) as sdk:
        completion: ChatCompletion = sdk.chat.completions.create(**body(server.vendor, **changes))
        return completion


def stream(server: FakeOpenAI, **changes: Any) -> Iterator[ChatCompletionChunk]:
    """The events of an answer, as they arrive."""
    options = {"stream": True, "stream_options": {"include_usage": True}}
    with client(server) as sdk:
        yield from sdk.chat.completions.create(**body(server.vendor, **{**options, **changes}))
