"""A small HTTP/1.1 server on a real port, which can also hang, drip, cut and reset."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Delivery = Literal["whole", "hang", "drip", "cut", "reset"]

_DRIP_SECONDS = 0.05


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

    def encoded(self) -> bytes:
        """As it is on the wire."""
        headers = {**self.headers, "content-length": str(len(self.body))}
        lines = [f"HTTP/1.1 {self.status} Answer", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


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
    wire = response.encoded()
    if response.delivery == "whole":
        writer.write(wire)
        await writer.drain()
        return True
    if response.delivery == "reset":
        # Lingering for no time at all makes the kernel send a reset.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif response.delivery == "cut":
        writer.write(wire[: -max(1, len(response.body) // 2)])
        await writer.drain()
    elif response.delivery == "hang":
        # Until the client goes, or the server stops.
        await reader.read()
    else:
        await _drip(wire, reader, writer)
    return False


async def _drip(wire: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Byte by byte, and never to the end, until the client goes."""
    gone = asyncio.ensure_future(reader.read())
    for number in range(len(wire) - 1):
        writer.write(wire[number : number + 1])
        await asyncio.wait([gone], timeout=_DRIP_SECONDS)
        if gone.done():
            return
    await gone
