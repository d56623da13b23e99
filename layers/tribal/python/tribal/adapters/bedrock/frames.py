"""Reads the streams of bedrock-runtime: frames of AWS's event stream encoding, each with one event of the Messages API.

Source: https://smithy.io/2.0/aws/amazon-eventstream.html and botocore/data/bedrock-runtime, `ResponseStream`.
"""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import AsyncIterator, Mapping
from typing import Any

from botocore.eventstream import EventStreamBuffer, EventStreamMessage, ParserError

from tribal.adapters.language_models.events import Events, event_of
from tribal.adapters.language_models.refusals import read_object, text_of

_DAMAGED = (ParserError, struct.error, KeyError, UnicodeDecodeError)
"""Raised by botocore for frames with a wrong checksum, length or header."""


async def framed_events(chunks: AsyncIterator[bytes]) -> Events:
    """Read the events in frames, up to an exception or a damaged frame, after which nothing can be read.

    An exception becomes an event of type `error`, as the Messages API sends it.

    Raises:
        ValueError: if a frame does not contain one JSON object.
    """
    buffer = EventStreamBuffer()
    async for chunk in chunks:
        buffer.add_data(chunk)
        while True:
            try:
                frame = next(buffer, None)
            except _DAMAGED:
                return
            if frame is None:
                break
            error = _error_in(frame)
            yield _event_in(frame) if error is None else {"type": "error", "error": error}
            if error is not None:
                return


def _error_in(frame: EventStreamMessage) -> Mapping[str, Any] | None:
    headers = frame.headers
    match headers.get(":message-type"):
        case "exception":
            return {"type": headers.get(":exception-type"), "message": read_object(frame.payload).get("message")}
        case "error":
            return {"type": headers.get(":error-code"), "message": headers.get(":error-message")}
    return None


def _event_in(frame: EventStreamMessage) -> Mapping[str, Any]:
    if frame.headers.get(":event-type") != "chunk":
        return {}
    return event_of(b64decode(text_of(event_of(frame.payload).get("bytes")), validate=True))
