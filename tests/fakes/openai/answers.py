"""Answers of a model as OpenAI's protocol has them, whole and as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.model_servers.script import Event
from tests.fakes.model_servers.server import pieces_of
from tests.fakes.openai.vendor import VendorName

DONE = b"data: [DONE]\n\n"
CREATED = 1_795_000_000


def completion_of(number: int, model: str, text: str, finish_reason: str, usage: Mapping[str, Any]) -> dict[str, Any]:
    """A whole answer (openai/types/chat/chat_completion.py)."""
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": f"chatcmpl-{number:06}",
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}],
        "usage": dict(usage),
    }


def chunks_of(completion: Mapping[str, Any], vendor: VendorName, *, include_usage: bool) -> list[Event]:
    """The events that an answer arrives in (openai/types/chat/chat_completion_chunk.py)."""
    (choice,) = completion["choices"]
    message, usage = choice["message"], completion.get("usage")
    texts = [{name: piece} for name in ("content", "refusal") for piece in pieces_of(message.get(name) or "")]
    events = [_chunk(completion, [_choice(delta)]) for delta in ({"role": "assistant", "content": ""}, *texts)]
    events.append(_chunk(completion, [_choice({}, choice["finish_reason"])]))
    if vendor == "groq":
        _add_groq(events, completion, usage)
    if not include_usage or usage is None:
        return events
    if vendor == "gemini":
        # https://github.com/ogx-ai/ogx/issues/5122: each event has the usage up to it, and none is for usage alone.
        before = [{**event, "usage": _so_far(usage, number)} for number, event in enumerate(events[:-1])]
        return [*before, {**events[-1], "usage": usage}]
    # openai/types/chat/chat_completion_stream_options_param.py: all others have a null one.
    others = [{**event, "usage": None} for event in events] if vendor == "openai" else events
    return [*others, {**_chunk(completion, []), "usage": usage}]


def encoded(events: Sequence[Event]) -> list[bytes]:
    """Events on the wire, with the mark of the end."""
    return [*(f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode() for event in events), DONE]


def _chunk(completion: Mapping[str, Any], choices: list[dict[str, Any]]) -> Event:
    same = {name: completion[name] for name in ("id", "created", "model")}
    return {**same, "object": "chat.completion.chunk", "choices": choices}


def _choice(delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": dict(delta), "finish_reason": finish_reason}


def _add_groq(events: list[Event], completion: Mapping[str, Any], usage: object) -> None:
    """https://github.com/vercel/ai/issues/1651: the last event with a choice has `x_groq`, with the usage."""
    request_id = f"req_{completion['id']}"
    events[0]["x_groq"] = {"id": request_id}
    events[-1]["x_groq"] = {"id": request_id} if usage is None else {"id": request_id, "usage": usage}


def _so_far(usage: Mapping[str, Any], number: int) -> dict[str, Any]:
    output = min(number * 5, usage["completion_tokens"])
    prompt = usage["prompt_tokens"]
    return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
