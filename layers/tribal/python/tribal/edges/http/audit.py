"""The log record of a request: caller, route, tool and result, but no content of the request or the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

SLOW_SECONDS = 1.0
"""Requests from this duration on are logged as slow, unless they wait for a model.

By judgement: ten times a search of 5,000 tables under load.
"""
DISCONNECTED = 499
"""nginx's status for a client that disconnected before the end of the answer."""
REQUEST_ID = "x-request-id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,100}\Z")


@dataclass(slots=True)
class RequestLog:
    """What logs and metrics record about a request."""

    request_id: str
    route: str = "other"
    """The path template of its route."""
    subject: str | None = None
    tool: str | None = None
    waits: bool = False
    """Whether its answer waits for a model, or has events."""
    ended_as: int | None = None
    """The status of an answer with events that ended early, which its headers could not tell."""
    error: str | None = None
    """The class of the error that ended it."""

    def is_slow(self, seconds: float) -> bool:
        """Whether it took longer than it should."""
        return seconds >= SLOW_SECONDS and not self.waits

    def fields(self, method: str, status: int, seconds: float) -> dict[str, object]:
        """The fields of its log line."""
        fields = {
            "request_id": self.request_id,
            "method": method,
            "path": self.route,
            "status": status,
            "milliseconds": round(seconds * 1_000, 1),
            "subject": self.subject,
            "tool": self.tool,
            "error": self.error,
            "slow": self.is_slow(seconds) or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


def usable_request_id(given: str | None, otherwise: str) -> str:
    """The request's own id if it is safe for logs and headers, otherwise another one."""
    return given if given is not None and _REQUEST_ID.match(given) else otherwise
