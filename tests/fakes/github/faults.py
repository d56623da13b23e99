"""What goes wrong at the stand-in on purpose. Source: docs/contracts.md, Contribution (faults of the forge)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.fakes.http_server import Delivery, Response

FaultName = Literal[
    "401",
    "403",
    "403 soon",
    "403 secondary",
    "404",
    "409",
    "422",
    "422 exists",
    "429 a day",
    "429 unstated",
    "500",
    "502 after",
    "reset before",
    "reset after",
    "elsewhere",
    "in circles",
    "drip",
    "hang",
    "a page",
    "cut",
    "no object",
    "huge",
    "deep",
]
DONE_BEFORE: frozenset[FaultName] = frozenset({"502 after", "reset after", "drip", "cut", "huge", "hang"})
"""Faults of the answer: the request has its effect."""
HUGE_BYTES = 200_000


@dataclass
class Fault:
    """A fault of a route.

    Args:
        route: the route's name; "" for every one. skip: calls that come through first. times: how often it happens.
    """

    name: FaultName
    route: str = ""
    skip: int = 0
    times: int = 1

    def draw(self, route: str) -> bool:
        """Whether it happens now."""
        if self.route not in ("", route) or self.times == 0:
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


def faulty(name: FaultName, answer: Response, now: float) -> Response:
    """The answer with a fault."""
    if name in _MESSAGES:
        status, message, headers = _MESSAGES[name]
        timed = {key: value.format(soon=int(now) + 30) for key, value in headers.items()}
        return error(status, message, timed)
    bodies: Mapping[str, bytes] = {
        "a page": b"<html>Welcome to the hotel</html>",
        "no object": b'["unexpected"]',
        "huge": b'{"x": "' + b"x" * HUGE_BYTES + b'"}',
        "deep": b"[" * 50_000,
        "cut": answer.body[: len(answer.body) // 2],
    }
    if name in bodies:
        return Response(200, bodies[name], {"content-type": "application/json", **answer.headers})
    deliveries: Mapping[str, Delivery] = {
        "reset before": "reset",
        "reset after": "reset",
        "drip": "drip",
        "hang": "hang",
    }
    return Response(answer.status, answer.body, answer.headers, deliveries[name])


def error(status: int, message: str, headers: Mapping[str, str] | None = None, errors: Any = None) -> Response:
    """An error as the API reports it."""
    body: dict[str, Any] = {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(status),
    }
    if errors is not None:
        body["errors"] = errors
    return Response(status, json.dumps(body).encode(), {"content-type": "application/json", **(headers or {})})


_MESSAGES: Mapping[str, tuple[int, str, Mapping[str, str]]] = {
    "401": (401, "Bad credentials", {}),
    "403": (403, "Resource not accessible by personal access token", {}),
    "403 soon": (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "{soon}"}),
    "403 secondary": (403, "You have exceeded a secondary rate limit", {}),
    "404": (404, "Not Found", {}),
    "409": (409, "Git Repository is empty.", {}),
    "422": (422, "Validation Failed", {}),
    "422 exists": (422, "Reference already exists", {}),
    "429 a day": (429, "Too many requests", {"retry-after": "86400"}),
    "429 unstated": (429, "Too many requests", {}),
    "500": (500, "Server Error", {}),
    "502 after": (502, "Server Error", {}),
    "elsewhere": (302, "Found", {"location": "http://other.invalid/repos/acme/shop"}),
    "in circles": (307, "Moved", {"location": "?again"}),
}
