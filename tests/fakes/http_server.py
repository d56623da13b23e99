"""A small HTTP/1.1 server on a real port, which can stream, and also hang, drip, cut and reset."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Delivery = Literal["whole", "hang", "drip", "cut", "reset", "break", "stall"]
"""How a response gets there: `cut` ends in its middle, `break` is reset there, and `stall` sends nothing more."""

_DRIP_SECONDS = 0.05
_GONE_SECONDS = 0.01
"""How often a pause looks whether the client is still there."""


@dataclass(frozen=True)
class Request:
    """A request, whole."""

    method: str
    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes


@dataclass(frozen=True)
class Response:
    """A response, and how it gets there."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = "whole"
    stream: Stream | None = None
    """Is sent instead of the body."""

    def encoded(self) -> bytes:
        """As it is on the wire; a stream lacks its last chunk, so that it never ends."""
        if self.stream is None:
            return self.head() + self.body
        return self.head() + b"".join(map(_chunk, self.stream.chunks[:-1]))

    def head(self) -> bytes:
        """Status and headers."""
        length = {"content-length": str(len(self.body))} if self.stream is None else {"transfer-encoding": "chunked"}
        headers = {**self.headers, **length}
        lines = [f"HTTP/1.1 {self.status} Answer", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


@dataclass(frozen=True)
class Stream:
    """A body in chunks.

    Args:
        pause_seconds: between two chunks.
        ended: called once, with the number of chunks that were sent and whether the client went away.
    """

    chunks: Sequence[bytes]
    pause_seconds: float = 0.0
    ended: Callable[[int, bool], None] = lambda _sent, _client_is_gone: None


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


class HttpServer:
    """Serves a handler in a thread of its own until it is stopped."""

    def __init__(self, handle: Callable[[Request], Awaitable[Response]]) -> None:
        self._handle = handle
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._open: set[asyncio.Task[None]] = set()
        self._thread.start()
        starting = asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1000)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result()
        self.port: int = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Close the port and every connection; does nothing the second time."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        tasks = [task for task in self._open if not task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            while (request := await _read(reader)) is not None:
                response = await self._handle(request)
                if not await _deliver(response, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    line, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = line.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
    return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


async def _deliver(response: Response, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send a response; returns whether the connection can be used again."""
    if response.stream is not None and response.delivery in ("whole", "cut", "break", "stall"):
        return await _deliver_stream(response, response.stream, reader, writer)
    try:
        return await _deliver_body(response, reader, writer)
    finally:
        if response.stream is not None:
            response.stream.ended(0, response.delivery != "reset")


async def _deliver_body(response: Response, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    wire = response.encoded()
    if response.delivery == "whole":
        writer.write(wire)
        await writer.drain()
        return True
    if response.delivery in ("cut", "break", "stall"):
        writer.write(wire[: -max(1, len(response.body) // 2)])
        await writer.drain()
    if response.delivery in ("reset", "break"):
        _reset(writer)
    elif response.delivery in ("hang", "stall"):
        # Until the client goes, or the server stops.
        await reader.read()
    elif response.delivery == "drip":
        await _drip(wire, reader, writer)
    return False


async def _deliver_stream(
    response: Response, stream: Stream, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """Send chunk by chunk until the client goes."""
    sent, is_whole = 0, response.delivery == "whole"
    until = len(stream.chunks) if is_whole else len(stream.chunks) // 2
    client_is_gone = True
    try:
        writer.write(response.head())
        for chunk in stream.chunks[:until]:
            writer.write(_chunk(chunk))
            await writer.drain()
            sent += 1
            if await _is_gone_after(stream.pause_seconds, reader):
                return False
        if response.delivery == "stall":
            await reader.read()
            return False
        client_is_gone = False
        if response.delivery == "break":
            # What was sent has to arrive first.
            await asyncio.sleep(_DRIP_SECONDS)
            _reset(writer)
        elif is_whole:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        return is_whole
    finally:
        stream.ended(sent, client_is_gone)


async def _is_gone_after(seconds: float, reader: asyncio.StreamReader) -> bool:
    """Whether the client went away while waiting; its next request is left unread."""
    end = asyncio.get_running_loop().time() + seconds
    while not (is_gone := reader.at_eof() or reader.exception() is not None):
        left = end - asyncio.get_running_loop().time()
        if left <= 0:
            break
        await asyncio.sleep(min(left, _GONE_SECONDS))
    return is_gone


def _reset(writer: asyncio.StreamWriter) -> None:
    # Lingering for no time at all makes the kernel send a reset.
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _drip(wire: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Byte by byte, and never to the end, until the client goes."""
    gone = asyncio.ensure_future(reader.read())
    for number in range(len(wire) - 1):
        writer.write(wire[number : number + 1])
        await asyncio.wait([gone], timeout=_DRIP_SECONDS)
        if gone.done():
            return
    await gone
