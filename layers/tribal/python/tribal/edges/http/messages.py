"""The requests and responses of the routes, independent of any HTTP framework."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tribal.errors import TooManyRequests
from tribal.ports.caller import Caller
from tribal.ports.stopping import StopToken

if TYPE_CHECKING:
    from tribal.errors import TribalError
    from tribal_contracts import AgentError


JSON = "application/json"
HTML = "text/html; charset=utf-8"
EVENT_STREAM = "text/event-stream"

Events = Callable[[StopToken], Generator[bytes, None, None]]
"""Makes pieces of a body, each of one or more whole server-sent events, or one that is a whole JSON object. It may
block, and begins with the first piece.

The token asks it to end: after a disconnect its pieces reach no one; otherwise it may still send last ones. Long calls
need the token too. An exception cuts the answer off, so failures that a client should see are events.
"""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, with its caller already identified."""

    method: str
    """In upper case."""
    path: str
    """Path as sent, without the query string and without the server's path prefix."""
    caller: Caller
    body: bytes = b""
    query: Mapping[str, str] = field(default_factory=dict)
    """Decoded query parameters; the last one wins if repeated."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By lower-case name."""
    base: str = ""
    """The absolute address of the server as seen by the caller, without a trailing slash."""


@dataclass(frozen=True, slots=True)
class Response:
    """The response to a request."""

    status: int
    body: bytes
    content_type: str = JSON
    tool_failed: bool | None = None
    """Whether the called tool failed; `None` when no tool was called."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers besides the content type."""
    events: Events | None = None
    """Makes the body instead of `body`, piece by piece."""
    seconds: float | None = None
    """The deadline of `events`, from their start; `None` for none."""
    admission: Callable[[], AbstractContextManager[object]] = nullcontext
    """Entered before the headers are sent and left after the last piece; it may refuse with `TooManyRequests`."""

    @property
    def quiet_piece(self) -> bytes:
        """What clients ignore between two pieces, to show that the connection is in use."""
        return b": \n\n" if self.content_type == EVENT_STREAM else b"\n"

    def stop_token(self) -> StopToken:
        """A token for `events`, whose deadline begins now."""
        if self.seconds is None:
            return StopToken()
        ends = time.monotonic() + self.seconds
        return StopToken(lambda: ends - time.monotonic())

    def complete(self) -> Response:
        """The response with all events in its body, for an edge that sends only whole bodies.

        Raises:
            TooManyRequests: when it is not admitted.
        """
        if self.events is None:
            return self
        with self.admission():
            return replace(self, body=b"".join(self.events(self.stop_token())), events=None)


def event_stream(events: Events, headers: Mapping[str, str] | None = None) -> Response:
    """A response with server-sent events, which proxies pass on as they come."""
    sent = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **(headers or {})}
    return Response(200, b"", EVENT_STREAM, headers=sent, events=events)


def refusal(error: TribalError, timestamp: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response for an error, with the status of its class."""
    if isinstance(error, TooManyRequests):
        headers = {**(headers or {}), "Retry-After": str(error.retry_seconds)}
    return failure(error.to_agent_error(timestamp), error.http_status, headers)


def failure(error: AgentError, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The response for an error that is already data."""
    body = {"success": False, "error": error.model_dump(mode="json", exclude_none=True)}
    return Response(status, json.dumps(body).encode(), headers=headers or {})
