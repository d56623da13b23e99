"""JSON-RPC messages as lines on two file descriptors, for the SDK's server.

The SDK's own stdio transport leaves a client waiting forever when it cannot parse a line, accepts lines of any length,
drops calls in progress when the input ends, and waits for more input when interrupted. Our decision record on the
stdio transport for MCP has the details.

A client waits for an answer to each of its requests. A line that is not valid JSON (lone surrogates, too deep, too
long) or not a request may still contain an id, and an error response with that id lets the client continue at once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
import mcp_types as types
from anyio import from_thread, lowlevel, to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import from_json

from tribal.edges.mcp.request_ids import request_id, request_id_at_the_end
from tribal.errors import ConfigurationError

MAX_LINE_BYTES = 4 * 1024 * 1024
"""The longest accepted message."""
MAX_PENDING = 64
"""Maximum unanswered requests; beyond that, reading pauses."""
LAST_ANSWERS_SECONDS = 30.0
"""How long answers may take after the input has ended."""

_CHUNK_BYTES = 64 * 1024
_KEPT_BYTES = 4 * 1024

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@dataclass(frozen=True, slots=True)
class OversizedLine:
    """Start and end of a line that is too long."""

    start: bytes
    end: bytes


@asynccontextmanager
async def json_lines(reading: int, writing: int) -> AsyncIterator[Streams]:
    """Message streams over two file descriptors, neither of which is closed on exit.

    Unreadable lines are answered here. When the input ends, pending requests are still answered. When the client stops
    reading answers, the input ends too.
    """
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    pending = _Pending()
    refusals = outgoing.clone()

    async def receive(line: bytes | OversizedLine | None) -> None:
        if line is None:
            await pending.settled(LAST_ANSWERS_SECONDS)
            refusals.close()
            to_server.close()
            return
        try:
            message = _parsed(line)
        except _Unreadable as exc:
            await refusals.send(SessionMessage(exc.refusal))
            return
        if isinstance(message, types.JSONRPCRequest):
            await pending.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            await pending.remove((message.params or {}).get("requestId"))
        await to_server.send(SessionMessage(message))

    async def write() -> None:
        async with from_server:
            async for item in from_server:
                data = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                try:
                    await to_thread.run_sync(_write_all, writing, data, abandon_on_cancel=True)
                except OSError:
                    to_server.close()
                    return
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    await pending.remove(item.message.id)

    token = lowlevel.current_token()
    reader = threading.Thread(
        target=_read_lines,
        args=(reading, lambda line: from_thread.run(receive, line, token=token)),
        name="mcp-input",
        # An interrupted server must not wait for the next line.
        daemon=True,
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        reader.start()
        yield incoming, outgoing


@dataclass
class _Pending:
    """Requests that have not been answered yet."""

    _ids: set[str] = field(default_factory=set)
    _changed: anyio.Condition = field(default_factory=anyio.Condition)

    async def add(self, identity: object) -> None:
        async with self._changed:
            while len(self._ids) >= MAX_PENDING:
                await self._changed.wait()
            self._ids.add(str(identity))

    async def remove(self, identity: object) -> None:
        async with self._changed:
            self._ids.discard(str(identity))
            self._changed.notify_all()

    async def settled(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            async with self._changed:
                while self._ids:
                    await self._changed.wait()


class _Unreadable(Exception):
    """The line is not a valid message; `refusal` is the answer to send."""

    def __init__(self, identity: int | str | None, code: int, message: str) -> None:
        super().__init__(message)
        self.refusal = types.JSONRPCError(jsonrpc="2.0", id=identity, error=types.ErrorData(code=code, message=message))


def _parsed(line: bytes | OversizedLine) -> types.JSONRPCMessage:
    if isinstance(line, OversizedLine):
        found = request_id(line.start)
        found = request_id_at_the_end(line.end) if found is None else found
        raise _Unreadable(found, types.INVALID_REQUEST, f"a message may not be longer than {MAX_LINE_BYTES:,} bytes")
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as exc:
        if exc.errors(include_url=False, include_context=False, include_input=False)[0]["type"] == "json_invalid":
            code, why = types.PARSE_ERROR, "not valid JSON, too deeply nested, or contains a lone surrogate"
        else:
            code, why = types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"
        raise _Unreadable(request_id(line), code, why) from exc
    # The SDK treats a request with any other id as a notification, and the client would wait forever.
    if isinstance(message, types.JSONRPCNotification) and "id" in from_json(line):
        raise _Unreadable(None, types.INVALID_REQUEST, "the id of a request must be a string or an integer")
    return message


def _read_lines(descriptor: int, deliver: Callable[[bytes | OversizedLine | None], None]) -> None:
    # The server may end first, so that there is no one to deliver to.
    with suppress(anyio.RunFinishedError, anyio.ClosedResourceError, anyio.BrokenResourceError, CancelledError):
        for line in split_lines(descriptor):
            deliver(line)
        deliver(None)


def split_lines(descriptor: int) -> Iterator[bytes | OversizedLine]:
    """The non-blank lines, until the input ends."""
    line, start = bytearray(), b""
    while chunk := _read_chunk(descriptor):
        for place, piece in enumerate(chunk.split(b"\n")):
            if place:
                yield from _whole(line, start)
                line, start = bytearray(), b""
            line += piece
            if start or len(line) > MAX_LINE_BYTES:
                start = start or bytes(line[:_KEPT_BYTES])
                del line[:-_KEPT_BYTES]
    yield from _whole(line, start)


def _whole(line: bytearray, start: bytes) -> Iterator[bytes | OversizedLine]:
    if start:
        yield OversizedLine(start, bytes(line))
    elif line and not line.isspace():
        yield bytes(line)


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK_BYTES)
    except OSError:
        return b""


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def claim_standard_streams() -> tuple[int, int]:
    """Reserve standard input and output for the server; from now on, prints go to standard error.

    Raises:
        ConfigurationError: when one of them is closed.
    """
    # A closed descriptor may have been reused since; Python remembers what it found at startup.
    if sys.stdin is None or sys.stdout is None:
        raise ConfigurationError("standard input or output is closed; MCP needs both")
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing if sys.stderr is None else 2, 1)
    os.close(nothing)
    return reading, writing
