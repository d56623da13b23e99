"""Refuses requests, in order: foreign hosts and origins, unauthenticated and rate-limited callers, large bodies."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from functools import partial

import anyio
from anyio import CapacityLimiter, to_thread

from tribal.edges.http.asgi.messages import (
    CALLER,
    REQUEST_LOG,
    SLOT,
    Asgi,
    Message,
    Receive,
    Scope,
    Send,
    headers_of,
    lingering,
    send_response,
)
from tribal.edges.http.asgi.origins import is_preflight, preflight_response, with_origin
from tribal.edges.http.asgi.serving import BODIES_BYTES, BODY_SECONDS, LARGEST_MCP_BODY_BYTES, Serving
from tribal.edges.http.audit import RequestLog
from tribal.edges.http.bodies import require_bounded
from tribal.edges.http.context_headers import with_context_headers
from tribal.edges.http.corrections import CORRECTIONS
from tribal.edges.http.identity import KeysUnavailable, TokenExpired, TokenRefused, challenge
from tribal.edges.http.messages import refusal
from tribal.edges.http.routing import LARGEST_BODY_BYTES
from tribal.errors import (
    BodyTooLarge,
    CallerUnknown,
    ClientDisconnected,
    HostRefused,
    OriginRefused,
    RequestRefused,
    RequestTooSlow,
    ServerBusy,
    TooManyRequests,
)
from tribal.ports.caller import Caller
from tribal.ports.running import Clock
from tribal.rate_limits import TokenBuckets

MCP = "/mcp"
_ANONYMOUS = Caller("anonymous", rights=frozenset())
_IDENTIFYING_AT_ONCE = 4
_BURST_SECONDS = 10.0
"""An idle caller may send as many requests at once as the rate allows in this time."""
_RETRY_SECONDS = 1


class Guards:
    """Passes on accepted requests, with the caller in the scope and the body fully received.

    Args:
        inner: the application that answers.
        serving: the settings of the server.
        clock: for the time in refusals.
        is_public: whether a path needs no caller.
        largest_body: the maximum size of a body in bytes, by path.
        receives_body: whether the inner application receives the body of a request itself, by method and path.
        now: seconds on a monotonic clock.
    """

    def __init__(
        self,
        inner: Asgi,
        serving: Serving,
        clock: Clock,
        is_public: Callable[[str], bool],
        largest_body: Callable[[str], int] = lambda _: LARGEST_BODY_BYTES,
        receives_body: Callable[[str, str], bool] = lambda _, __: False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._serving = serving
        self._clock = clock
        self._is_public = is_public
        self._largest_body = largest_body
        self._receives_body = receives_body
        self._bodies = _Bodies()
        self._buckets = TokenBuckets(now)
        self._limiter = CapacityLimiter(_IDENTIFYING_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        response_headers: dict[str, str] = {}
        try:
            headers = headers_of(scope)
            self._require_own_host(headers)
            origin = self._other_origin(scope, headers)
            if self._serving.origins:
                send = with_origin(send, origin)
            if origin is not None and is_preflight(scope["method"], headers):
                await send_response(preflight_response(), scope, send)
                return
            scope[CALLER] = await self._caller(scope, headers, response_headers)
            self._require_pace(scope)
            scope[SLOT] = self._slot(scope)
            if origin is not None:
                scope[CALLER] = self._serving.on_other_page(scope[CALLER])
            if scope[CALLER] is not _ANONYMOUS:
                scope[CALLER] = with_context_headers(scope[CALLER], headers)
            if self._receives_body(scope["method"], scope["path"]):
                await self._inner(scope, receive, send)
                return
            with self._bodies.counting() as count:
                received = await count.receive_all(scope, headers, receive, self._largest_body(scope["path"]))
                await self._inner(scope, received, send)
        except RequestRefused as error:
            response = refusal(error, self._clock.published(), {**response_headers, "Connection": "close"})
            await send_response(response, scope, lingering(send, receive))

    def _require_own_host(self, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if not self._serving.is_own_host(host):
            raise HostRefused(
                "this server does not accept this host name; if the name is right, list "
                "it under serve.hosts in databases.yaml"
            )

    def _other_origin(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """The other site whose page sends the request; `None` for our own pages and for programs."""
        origin = headers.get("origin")
        if origin is None or self._serving.is_own_origin(origin, headers.get("host", "")):
            return None
        # People see what they correct only on our own page.
        if origin not in self._serving.origins or is_below(scope["path"], CORRECTIONS):
            raise OriginRefused("the request comes from a page of another site")
        return origin

    async def _caller(self, scope: Scope, headers: dict[str, str], answered: dict[str, str]) -> Caller:
        if self._is_public(scope["path"]):
            return _ANONYMOUS
        base = self._serving.base(scope["scheme"], headers.get("host", ""))
        resource = MCP if is_below(scope["path"], MCP) else ""
        authorization = headers.get("authorization")
        try:
            identify = partial(self._serving.callers.identify, authorization)
            # Only a token needs a lookup.
            caller = identify() if authorization is None else await to_thread.run_sync(identify, limiter=self._limiter)
        except TokenRefused as refused:
            expired = isinstance(refused, TokenExpired)
            reason = "the token has expired" if expired else "the token is not accepted"
            answered["WWW-Authenticate"] = challenge(base, resource, None if authorization is None else reason)
            if authorization is None:
                reason = "the request has no token"
            raise CallerUnknown(f"{reason}; send a valid one as Authorization: Bearer TOKEN") from refused
        except KeysUnavailable as error:
            answered["Retry-After"] = str(_RETRY_SECONDS)
            raise ServerBusy("the token cannot be checked right now; try again") from error
        seen: RequestLog = scope[REQUEST_LOG]
        seen.subject = caller.subject
        return caller

    def _require_pace(self, scope: Scope) -> None:
        caller: Caller = scope[CALLER]
        if self._is_unproven(caller):
            return
        per_minute = self._serving.requests_per_minute
        burst = max(1.0, per_minute / 60 * _BURST_SECONDS)
        wait = math.ceil(self._buckets.seconds_to_wait(caller.subject, per_minute, burst))
        if wait > 0:
            raise TooManyRequests(f"more than {per_minute} requests per minute; retry in {wait} s", wait)

    def _slot(self, scope: Scope) -> Hashable:
        caller: Caller = scope[CALLER]
        if self._is_unproven(caller):
            client = scope.get("client")
            return caller.subject, client[0] if client else ""
        return caller.subject

    def _is_unproven(self, caller: Caller) -> bool:
        """Whether the caller showed no token."""
        return caller in (_ANONYMOUS, self._serving.callers.without_token)


def is_below(path: str, root: str) -> bool:
    """Whether a path equals another, or is below it."""
    return path == root or path.startswith(f"{root}/")


class _Bodies:
    """Counts the bytes of all bodies in memory."""

    def __init__(self) -> None:
        self.held = 0

    def counting(self) -> _Body:
        """Count the body of one request."""
        return _Body(self)


class _Body:
    """Receives one body and counts it until the request is answered."""

    def __init__(self, bodies: _Bodies) -> None:
        self._bodies = bodies
        self._held = 0

    def __enter__(self) -> _Body:
        return self

    def __exit__(self, *_: object) -> None:
        self._bodies.held -= self._held

    async def receive_all(self, scope: Scope, headers: dict[str, str], receive: Receive, largest: int) -> Receive:
        """Receive the body within its limits; returns a function that receives it again without waiting."""
        is_mcp = is_below(scope["path"], MCP)
        largest = LARGEST_MCP_BODY_BYTES if is_mcp else largest
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > largest:
            raise _too_large(largest)
        with anyio.move_on_after(BODY_SECONDS) as limit:
            body = await self._read(largest, receive)
        if limit.cancelled_caught:
            raise RequestTooSlow(f"the body did not arrive within {BODY_SECONDS:g} s; retry on a faster connection")
        if is_mcp and body:
            await to_thread.run_sync(require_bounded, body)
        sent = False

        async def again() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        return again

    async def _read(self, largest: int, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnected("the client disconnected")
            piece = message.get("body", b"")
            self._held += len(piece)
            self._bodies.held += len(piece)
            body += piece
            if len(body) > largest:
                raise _too_large(largest)
            if self._bodies.held > BODIES_BYTES:
                raise ServerBusy("too many large bodies are being received; try again in a moment")
            if not message.get("more_body", False):
                return bytes(body)


def _too_large(largest: int) -> BodyTooLarge:
    return BodyTooLarge(f"the body is larger than {largest} bytes; send a smaller request")
