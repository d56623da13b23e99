"""The requests and responses of the routes, independent of any HTTP framework."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.errors import TooManyRequests
from tribal.ports.caller import Caller

if TYPE_CHECKING:
    from tribal.errors import TribalError
    from tribal_contracts import AgentError


JSON = "application/json"
HTML = "text/html; charset=utf-8"


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


def refusal(error: TribalError, timestamp: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response for an error, with the status of its class."""
    if isinstance(error, TooManyRequests):
        headers = {**(headers or {}), "Retry-After": str(error.retry_seconds)}
    return failure(error.to_agent_error(timestamp), error.http_status, headers)


def failure(error: AgentError, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The response for an error that is already data."""
    body = {"success": False, "error": error.model_dump(mode="json", exclude_none=True)}
    return Response(status, json.dumps(body).encode(), headers=headers or {})
