"""What passes between whatever speaks HTTP and the routes."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.ports.caller import Caller

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """One request, its caller known."""

    method: str
    """In capitals."""
    path: str
    """As it was sent, without the query and without what a server puts before all paths."""
    caller: Caller
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    """What is answered."""

    status: int
    body: bytes
    content_type: str = JSON
    tool_failed: bool | None = None
    """Whether the tool that was called failed; `None` when none was."""
