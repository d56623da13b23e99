"""A request that has reached the server is answered, even if the connection was about to be closed as idle."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from tests.cases import each_case
from tribal.edges.http.asgi.protocol import TimedProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def _app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def _connected() -> AsyncIterator[tuple[socket.socket, TimedProtocol]]:
    """A client's socket, and the protocol at the other end; the loop reads only while something is awaited."""
    made: list[TimedProtocol] = []
    config = Config(_app, http=TimedProtocol, lifespan="off", log_config=None)
    config.load()

    def protocol() -> TimedProtocol:
        made.append(TimedProtocol(config=config, server_state=ServerState(), app_state={}))
        return made[-1]

    loop = asyncio.get_running_loop()
    async with await loop.create_server(protocol, "127.0.0.1", 0) as server:
        with socket.socket() as client:
            client.setblocking(False)
            await loop.sock_connect(client, server.sockets[0].getsockname())
            await loop.sock_sendall(client, REQUEST)
            assert (await loop.sock_recv(client, 4096)).endswith(b"ok")
            yield client, made[0]


def _idle(protocol: TimedProtocol) -> None:
    protocol.timeout_keep_alive_handler()


def _stopping(protocol: TimedProtocol) -> None:
    protocol.shutdown()


@each_case("close", [_idle, _stopping])
def test_a_request_that_has_arrived_is_answered_before_the_connection_is_closed(
    close: Callable[[TimedProtocol], None],
) -> None:
    async def run() -> tuple[bytes, bytes]:
        loop = asyncio.get_running_loop()
        async with _connected() as (client, protocol):
            client.send(REQUEST)
            close(protocol)
            answer = await loop.sock_recv(client, 4096)
            if close is _idle:
                close(protocol)
            return answer, await loop.sock_recv(client, 4096)

    answer, end = asyncio.run(asyncio.wait_for(run(), 20))
    assert (answer[:15], answer[-2:], end) == (b"HTTP/1.1 200 OK", b"ok", b"")


@each_case("close", [_idle, _stopping])
def test_a_connection_without_a_request_is_closed_at_once(close: Callable[[TimedProtocol], None]) -> None:
    async def run() -> bytes:
        async with _connected() as (client, protocol):
            close(protocol)
            # Without another turn of the loop: a request sent from now on finds the connection closed.
            client.setblocking(True)
            return client.recv(1)

    assert asyncio.run(asyncio.wait_for(run(), 20)) == b""
