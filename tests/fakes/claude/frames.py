"""AWS's event stream encoding, in which bedrock-runtime streams (https://smithy.io/2.0/aws/amazon-eventstream.html)."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from struct import pack
from typing import Any
from zlib import crc32

from botocore.eventstream import EventStreamBuffer
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.parsers import EventStreamJSONParser

from tests.fakes.model_servers.script import Event

EVENT_STREAM = {
    "content-type": "application/vnd.amazon.eventstream",
    "x-amzn-bedrock-content-type": "application/json",
}
"""Headers of a stream."""
CHUNK = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
"""Headers of a frame with an event."""
_STRING = 7
_OVERHEAD_BYTES = 16
"""Two lengths and two checksums."""
_PADDING = "abcdefghijklmnopqrstuvwxyz"


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Return a frame on the wire."""
    return framed(b"".join(_header(name.encode(), value.encode()) for name, value in headers.items()), payload)


def framed(head: bytes, payload: bytes) -> bytes:
    """Return a frame with headers as they are on the wire."""
    checked = prelude(_OVERHEAD_BYTES + len(head) + len(payload), len(head)) + head + payload
    return checked + pack("!I", crc32(checked))


def prelude(total_bytes: int, head_bytes: int) -> bytes:
    """Return the beginning of a frame."""
    lengths = pack("!II", total_bytes, head_bytes)
    return lengths + pack("!I", crc32(lengths))


def chunk(event: Event) -> bytes:
    """Return an event of the Messages API in a frame.

    The service pads chunks (https://github.com/aws-amplify/amplify-backend/pull/2453).
    """
    data = json.dumps(event, ensure_ascii=False).encode()
    payload = {"bytes": b64encode(data).decode(), "p": _PADDING[: 1 + len(data) % len(_PADDING)]}
    return frame(CHUNK, json.dumps(payload).encode())


def exception(name: str, message: str) -> bytes:
    """Return an exception in a frame."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps({"message": message}).encode())


def exceptions() -> set[str]:
    """Return the names of the exceptions that a stream may contain."""
    return set(_response_stream().members) - {"chunk"}


def damaged(data: bytes) -> bytes:
    """Return a frame with one other bit in the middle of its payload."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def faults_of(frames: Sequence[bytes]) -> Iterator[str]:
    """Find what botocore's parser does not know in the frames of a stream."""
    buffer, shape = EventStreamBuffer(), _response_stream()
    buffer.add_data(b"".join(frames))
    for message in buffer:
        found = message.to_response_dict()
        if found["status_code"] != 200:
            if message.headers.get(":exception-type") not in exceptions():
                yield f"{message.headers}: no such exception"
        elif not EventStreamJSONParser().parse(found, shape).get("chunk", {}).get("bytes"):
            yield f"{message.headers}: no chunk"


@cache
def _response_stream() -> Any:
    model: Any = Loader().load_service_model("bedrock-runtime", "service-2")
    return ServiceModel(model).shape_for("ResponseStream")


def _header(name: bytes, value: bytes) -> bytes:
    return pack("!B", len(name)) + name + pack("!BH", _STRING, len(value)) + value
