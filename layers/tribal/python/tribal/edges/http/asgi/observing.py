"""Gives each request an id, logs one line for it, and counts it."""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tribal.edges.http.asgi.messages import REQUEST_LOG, Asgi, Message, Receive, Scope, Send, headers_of, send_response
from tribal.edges.http.audit import DISCONNECTED, REQUEST_ID, RequestLog, usable_request_id
from tribal.edges.http.messages import refusal
from tribal.edges.http.routing import Route, template_of
from tribal.errors import TribalError
from tribal.jobs.clock import SystemClock

if TYPE_CHECKING:
    from tribal.edges.http.asgi.metrics import Metrics
    from tribal.ports.running import Clock

_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"))
_SECURITY = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
"""For answers without their own policy: data that must not be executed or shown as a page."""
_CACHING = (b"cache-control", b"private, no-cache")
_LOG = logging.getLogger(__name__)


class RequestObserver:
    """Logs and counts the answers of another application; the outermost layer.

    Args:
        inner: the application that answers.
        routes: their path templates replace paths in logs and metrics.
        metrics: counts requests.
        clock: for the time of an unexpected failure.
        write: writes a line to the log.
    """

    def __init__(
        self, inner: Asgi, routes: Sequence[Route], metrics: Metrics, clock: Clock, write: Callable[[str], None]
    ) -> None:
        self._inner = inner
        self._routes = routes
        self._metrics = metrics
        self._clock = clock
        self._write = write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        began = time.perf_counter()
        request_id = usable_request_id(headers_of(scope).get(REQUEST_ID), secrets.token_hex(16))
        seen = scope[REQUEST_LOG] = RequestLog(request_id, template_of(scope["path"], self._routes) or "other")
        status = DISCONNECTED

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": _completed(message.get("headers", ()), seen)}
            await send(message)

        try:
            await self._inner(scope, receive, sending)
        except Exception:  # the outermost edge: a caller gets an answer, never a traceback
            _LOG.debug("%s failed", seen.route, exc_info=True)
            if status == DISCONNECTED:
                error = TribalError("the request failed unexpectedly; try again, and report it if that does not help")
                await send_response(refusal(error, self._clock.published()), scope, sending)
            else:
                raise
        finally:
            seconds, status = time.perf_counter() - began, seen.ended_as or status
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.count(seen.route, seen.tool, status, seconds)
            self._write(_line(seen, method, status, seconds))


def write_line(line: str) -> None:
    """Write a line to standard error in one call."""
    with suppress(OSError, ValueError):  # the log has no reader left; keep answering requests
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _completed(headers: Sequence[tuple[bytes, bytes]], seen: RequestLog) -> list[tuple[bytes, bytes]]:
    present = {name.lower() for name, _ in headers}
    added = (*_SECURITY, _POLICY, _CACHING)
    own = [(name, value) for name, value in added if name not in present]
    return [*headers, *own, (REQUEST_ID.encode(), seen.request_id.encode())]


def _line(seen: RequestLog, method: str, status: int, seconds: float) -> str:
    level = "error" if status >= 500 else "warning" if seen.is_slow(seconds) else "info"
    return json.dumps(
        {"time": SystemClock().published(), "level": level, "event": "request", **seen.fields(method, status, seconds)}
    )
