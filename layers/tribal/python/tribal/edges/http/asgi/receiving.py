"""Receives the bodies of routes that take them piece by piece: they are never held whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from tribal.edges.http.asgi.messages import (
    REQUEST_LOG,
    SLOT,
    Asgi,
    Receive,
    Scope,
    Send,
    lingering,
    request_of,
    send_response,
)
from tribal.edges.http.audit import DISCONNECTED, RequestLog
from tribal.edges.http.messages import Response, refusal
from tribal.edges.http.routing import BodyReceiver, Route, receiving_route
from tribal.errors import ClientDisconnected, RequestTooSlow, TribalError
from tribal.ports.application import Application

STALLED_SECONDS = 20.0
"""How long a client may send nothing."""
GRACE_SECONDS = 60.0
"""How long a client may be slower than `SLOWEST_BYTES_A_SECOND`. By judgement."""
SLOWEST_BYTES_A_SECOND = 32 * 1024
"""By judgement: 200 MB take two hours at this rate."""
_THREADS = 4
"""By judgement: more only share the same disk and network."""

Result = TypeVar("Result")


class ReceivingEndpoint:
    """An ASGI application for bodies that are received piece by piece; other requests are passed on.

    Args:
        app: the application that answers.
        routes: of the server.
        otherwise: answers all other requests.
    """

    def __init__(self, app: Application, routes: Sequence[Route], otherwise: Asgi) -> None:
        self._app = app
        self._routes = routes
        self._otherwise = otherwise
        # Their own threads: writing to a slow disk must not keep answers waiting.
        self._threads = CapacityLimiter(_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = receiving_route(scope["method"], scope["path"], self._routes)
        if route is None:
            await self._otherwise(scope, receive, send)
            return
        seen: RequestLog = scope[REQUEST_LOG]
        seen.waits = True
        body = _Body(receive)
        try:
            response = await self._answer(route, scope, body)
        except ClientDisconnected:
            seen.ended_as = DISCONNECTED
            return
        except TribalError as error:
            seen.error = type(error).__name__
            response = refusal(error, self._app.clock.published(), {"Connection": "close"})
            if not body.is_whole:
                send = lingering(send, receive)
        await send_response(response, scope, send)

    async def _answer(self, route: Route, scope: Scope, body: _Body) -> Response:
        assert route.receives is not None
        with route.receives(request_of(scope), self._app, scope[SLOT]) as receiver:
            await self._receive(receiver, body)
            return await self._run(receiver.finish)

    async def _receive(self, receiver: BodyReceiver, body: _Body) -> None:
        began = time.monotonic()
        received = 0
        while not body.is_whole:
            piece = await body.next_piece()
            if piece:
                received += len(piece)
                await self._run(partial(receiver.feed, piece))
            if not body.is_whole and time.monotonic() - began > GRACE_SECONDS + received / SLOWEST_BYTES_A_SECOND:
                raise RequestTooSlow(
                    f"less than {SLOWEST_BYTES_A_SECOND // 1024} KB/s arrive; upload over a faster connection"
                )

    async def _run(self, call: Callable[[], Result]) -> Result:
        return await to_thread.run_sync(call, limiter=self._threads)


class _Body:
    """The body of one request."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.is_whole = False
        """Whether all of it has been received."""

    async def next_piece(self) -> bytes:
        """The bytes that arrive next.

        Raises:
            ClientDisconnected: when the client disconnects.
            RequestTooSlow: when it sends nothing for too long.
        """
        with anyio.move_on_after(STALLED_SECONDS) as limit:
            message = await self._receive()
        if limit.cancelled_caught:
            raise RequestTooSlow(f"nothing of the upload arrived for {STALLED_SECONDS:g} s; retry")
        if message["type"] == "http.disconnect":
            raise ClientDisconnected("the client disconnected")
        self.is_whole = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        return piece
