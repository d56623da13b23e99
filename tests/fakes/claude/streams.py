"""A message as the events of a stream (build-with-claude/streaming)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.claude import aws, frames
from tests.fakes.model_servers.script import Event
from tests.fakes.model_servers.server import pieces_of


def events_of(message: Mapping[str, Any]) -> list[Event]:
    """The events that a message arrives in."""
    usage = message.get("usage")
    started = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    # Output is counted at the end.
    started["usage"] = None if usage is None else {**usage, "output_tokens": 1}
    content = [event for index, block in enumerate(message["content"]) for event in _block(index, block)]
    delta = {name: message.get(name) for name in ("stop_reason", "stop_sequence", "stop_details")}
    ended = {"type": "message_delta", "delta": delta}
    if usage is not None:
        names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        ended["usage"] = {name: usage.get(name) for name in names}
    return [{"type": "message_start", "message": started}, {"type": "ping"}, *content, ended, {"type": "message_stop"}]


def encoded(event: Event, wire: str) -> bytes:
    """An event on the wire."""
    if wire == "runtime":
        return _framed(event)
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _framed(event: Event) -> bytes:
    if event["type"] == "error":
        error = event["error"]
        return frames.exception(aws.exception_in_stream(error["type"]), error["message"])
    # https://github.com/langchain-ai/langchain-aws/pull/164
    more = {"amazon-bedrock-invocationMetrics": {"inputTokenCount": 1, "outputTokenCount": 1}}
    return frames.chunk(event | more if event["type"] == "message_stop" else event)


def _block(index: int, block: Mapping[str, Any]) -> Iterator[Event]:
    """Start, deltas and stop of a block of content."""
    kind = block["type"]
    texts = {"text": "text", "thinking": "thinking"}
    empty = {**block, texts[kind]: ""} if kind in texts else dict(block)
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for piece in pieces_of(block[texts[kind]]) if kind in texts else ():
        yield _delta(index, {"type": f"{kind}_delta", texts[kind]: piece})
    if kind == "thinking":
        yield _delta(index, {"type": "signature_delta", "signature": block["signature"]})
    yield {"type": "content_block_stop", "index": index}


def _delta(index: int, delta: Mapping[str, Any]) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": delta}
