"""Limits the size of answers: what is read of a response, and the text that is used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from tribal.ports import ModelAnswer, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

if TYPE_CHECKING:
    import httpx2

MOST_BODY_BYTES = 16 * 1024 * 1024
"""Of a whole response. By judgement: four times as much as 64 vectors of 3,072 numbers have."""
MOST_ERROR_BYTES = 64 * 1024
"""Of an error response, as it is on the wire; the rest is not read."""
BYTES_PER_TOKEN = 8
"""Of text. By judgement: twice what English has."""
_EVENT_BYTES_PER_TOKEN = 1024
"""Of the events of a stream. By judgement: three times what an event of one token has."""
_LEAST_STREAM_BYTES = 64 * 1024
_REPEATED_CHARS = 600
_LONGEST_PERIOD = 150


class ResponseTooLargeError(Exception):
    """A response is larger than any answer to its request."""


def most_text_bytes(request: ModelRequest) -> int:
    """Return how many bytes of text the answer to a request may have."""
    return BYTES_PER_TOKEN * request.max_tokens


def cut_text(text: str, most_bytes: int) -> str:
    """Return the beginning of a text that has at most so many bytes."""
    return text if len(text) * 4 <= most_bytes else text.encode(errors="replace")[:most_bytes].decode(errors="ignore")


def repeats_itself(text: str) -> bool:
    """Return whether the end of a text is one phrase over and over, as small models write without end."""
    end = text[-_REPEATED_CHARS:]
    period = len(end) - 1 - end.rfind(end[-_LONGEST_PERIOD:], 0, -1) - (_LONGEST_PERIOD - 1)
    return len(end) == _REPEATED_CHARS and period <= _LONGEST_PERIOD and end[period:] == end[:-period]


def cut_answer(outcome: ModelOutcome, request: ModelRequest) -> tuple[str, ModelOutcome]:
    """Return the text that may be used, and the outcome; an answer that is too long counts as truncated."""
    if not isinstance(outcome, ModelAnswer):
        return "", outcome
    text = cut_text(outcome.text, most_text_bytes(request))
    if text == outcome.text or request.max_tokens == 0:
        return text, outcome
    return text, truncated(outcome.usage, text)


def truncated(usage: ModelUsage, text: str, *, unseen: bool = False) -> ModelFailure:
    """Return the failure for an answer that is longer than was asked for."""
    message = "the answer is longer than its token limit allows"
    return ModelFailure("truncated", message, usage, unseen=unseen, text=text)


async def read_body(response: httpx2.Response) -> bytes:
    """Read a whole response; does nothing that was done before.

    Raises:
        ResponseTooLargeError: when it has more than `MOST_BODY_BYTES`.
    """
    if response.is_closed:
        return response.content
    return b"".join([chunk async for chunk in _limited(response, MOST_BODY_BYTES)])


def read_chunks(response: httpx2.Response, request: ModelRequest) -> AsyncIterator[bytes]:
    """Read the decompressed bytes of a stream.

    Raises:
        ResponseTooLargeError: when it has more bytes than any answer to the request.
    """
    return _limited(response, _LEAST_STREAM_BYTES + _EVENT_BYTES_PER_TOKEN * request.max_tokens)


async def _limited(response: httpx2.Response, most_bytes: int) -> AsyncIterator[bytes]:
    """Read the decompressed bytes of a response, and close it at its end or at the limit."""
    try:
        read = 0
        async for chunk in response.aiter_bytes():
            read += len(chunk)
            if read > most_bytes:
                raise ResponseTooLargeError
            yield chunk
    finally:
        await response.aclose()
