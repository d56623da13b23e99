"""Reads the events of streams: server-sent events, unless a vendor sends others."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from tribal.adapters.language_models.answers import parse_json

Events = AsyncIterator[Mapping[str, Any]]
ReadEvents = Callable[[AsyncIterator[bytes]], Events]
"""Reads the events in the bytes of a stream; an empty event only shows that the server still answers.

It raises `ValueError` if an event is not one JSON object.
"""

_END = "[DONE]"
_LINE_END = re.compile(rb"\r\n|\n|\r")


async def server_sent_events(chunks: AsyncIterator[bytes]) -> Events:
    """Read server-sent events, up to `[DONE]`.

    Raises:
        ValueError: if an event is not one JSON object.
    """
    async for line in _lines(chunks):
        name, _, data = line.partition(":")
        data = data.strip()
        if name == "data" and data == _END:
            return
        if name == "error" and data:
            # Older versions of llama.cpp write errors so.
            yield {"error": event_of(data)}
        else:
            yield event_of(data) if name == "data" and data else {}


def event_of(text: str | bytes) -> Mapping[str, Any]:
    """Return the JSON object that a text is.

    Raises:
        ValueError: if it is not one.
    """
    event = parse_json(text)
    if not isinstance(event, dict):
        raise ValueError("an event is not an object")
    return event


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    left = b""
    async for chunk in chunks:
        *lines, left = _LINE_END.split(left + chunk)
        for line in lines:
            yield line.decode(errors="replace")
    yield left.decode(errors="replace")
