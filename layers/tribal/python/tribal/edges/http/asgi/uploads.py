"""Receives uploads: the body goes to disk as it arrives, and is never held whole."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from tribal.capabilities.chat.parts import chat_parts
from tribal.edges.http.asgi.messages import (
    CALLER,
    REQUEST_LOG,
    SLOT,
    Asgi,
    Receive,
    Scope,
    Send,
    headers_of,
    lingering,
    send_response,
)
from tribal.edges.http.audit import DISCONNECTED, RequestLog
from tribal.edges.http.chat.backend import ChatBackend
from tribal.edges.http.chat.forms import ReceivedForm, UploadForm
from tribal.edges.http.chat.limits import UPLOADS_AT_ONCE, CallerLimits
from tribal.edges.http.chat.routes import UPLOADS, accept_upload, require_writer
from tribal.edges.http.messages import Response, refusal
from tribal.errors import ClientDisconnected, RequestTooSlow, TribalError
from tribal.ports.application import Application

STALLED_SECONDS = 20.0
"""How long a client may send nothing."""
GRACE_SECONDS = 60.0
"""How long a client may be slower than `SLOWEST_BYTES_A_SECOND`. By judgement."""
SLOWEST_BYTES_A_SECOND = 32 * 1024
"""By judgement: 200 MB take two hours at this rate."""

Result = TypeVar("Result")


def is_upload(method: str, path: str) -> bool:
    """Whether a request is an upload, whose body is received here."""
    return method == "POST" and path.rstrip("/") == UPLOADS


class UploadEndpoint:
    """An ASGI application for uploads; other requests are passed on.

    Args:
        app: the application that takes the files.
        backend: the use cases.
        limits: of callers.
        otherwise: answers other methods at the path.
    """

    def __init__(self, app: Application, backend: ChatBackend, limits: CallerLimits, otherwise: Asgi) -> None:
        self._app = app
        self._backend = backend
        self._limits = limits
        self._otherwise = otherwise
        # Their own threads: writing to a slow disk must not keep answers waiting.
        self._threads = CapacityLimiter(UPLOADS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not is_upload(scope["method"], scope["path"]):
            await self._otherwise(scope, receive, send)
            return
        seen: RequestLog = scope[REQUEST_LOG]
        seen.waits = True
        body = _Body(receive)
        try:
            response = await self._answer(scope, body)
        except ClientDisconnected:
            seen.ended_as = DISCONNECTED
            return
        except TribalError as error:
            seen.error = type(error).__name__
            response = refusal(error, self._app.clock.published(), {"Connection": "close"})
            if not body.is_whole:
                send = lingering(send, receive)
        await send_response(response, scope, send)

    async def _answer(self, scope: Scope, body: _Body) -> Response:
        caller, headers = scope[CALLER], headers_of(scope)
        require_writer(caller)
        parts = chat_parts(self._app)
        with (
            self._limits.upload(scope[SLOT]),
            UploadForm(headers.get("content-type"), parts.scratch, parts.settings.uploads.largest_mb) as form,
        ):
            form.require_size(headers.get("content-length"))
            received = await self._receive(form, body)
            return await self._run(partial(accept_upload, self._backend, self._app, caller, received))

    async def _receive(self, form: UploadForm, body: _Body) -> ReceivedForm:
        began = time.monotonic()
        while True:
            piece = await body.next_piece()
            if piece:
                await self._run(partial(form.feed, piece))
            if body.is_whole:
                return await self._run(form.finish)
            if time.monotonic() - began > GRACE_SECONDS + form.received / SLOWEST_BYTES_A_SECOND:
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
