"""The endpoint on a real port, behind a small application that takes the caller from a header."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from tribal.edges.mcp.http import CALLER, McpEndpoint
from tribal.identity.scope import Scope
from tribal.ports import Caller

SUBJECT = "x-test-subject"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
OF_SUBJECT = {"shop": Scope(frozenset({"shop"})), "web": Scope(frozenset({"web"}))}


class _Identity:
    """Replaces the verification of tokens: the caller is named by a header."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            subject = dict(scope["headers"]).get(SUBJECT.encode(), b"everyone").decode()
            scope[CALLER] = Caller(subject, OF_SUBJECT.get(subject, Scope()))
        await self._app(scope, receive, send)


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str

    def post(self, body: bytes | Any, **headers: str) -> httpx2.Response:
        """Post a message as it stands, or as JSON; underscores in names of headers are hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        return httpx2.post(self.url, headers={**HEADERS, **named}, timeout=60, **content)


@contextmanager
def served(endpoint: McpEndpoint) -> Iterator[Served]:
    """Serve an endpoint until the block ends."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    app = Starlette(routes=[Route("/mcp", endpoint)], middleware=[Middleware(_Identity)], lifespan=lifespan)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        assert not thread.is_alive()
        listening.close()
