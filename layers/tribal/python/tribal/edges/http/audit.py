"""What is recorded of a request: who asked what for, and how it ended; never what is in it, or in its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

SLOW_SECONDS = 1.0
"""From which a request is named slow. By judgement: ten times what a search of 5,000 tables takes under load."""
REQUEST_ID = "x-request-id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,100}\Z")


@dataclass(slots=True)
class RequestLog:
    """What logs and metrics tell of a request."""

    request_id: str
    route: str = "other"
    """The path with names in place of values."""
    subject: str | None = None
    tool: str | None = None

    def fields(self, method: str, status: int, seconds: float) -> dict[str, object]:
        """The fields of its line in the log."""
        fields = {
            "request_id": self.request_id,
            "method": method,
            "path": self.route,
            "status": status,
            "milliseconds": round(seconds * 1_000, 1),
            "subject": self.subject,
            "tool": self.tool,
            "slow": seconds >= SLOW_SECONDS or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


def usable_request_id(given: str | None, otherwise: str) -> str:
    """The id that a request brought, if that may stand in a log and a header; else another."""
    return given if given is not None and _REQUEST_ID.match(given) else otherwise
