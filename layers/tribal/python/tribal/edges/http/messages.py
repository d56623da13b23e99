"""The requests and responses of the routes, independent of any HTTP framework."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.ports.caller import Caller

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """One request, with its caller already identified."""

    method: str
    """In upper case."""
    path: str
    """Path as sent, without the query string and without the server's path prefix."""
    caller: Caller
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    """The response to a request."""

    status: int
    body: bytes
    content_type: str = JSON
    tool_failed: bool | None = None
    """Whether the called tool failed; `None` when no tool was called."""
