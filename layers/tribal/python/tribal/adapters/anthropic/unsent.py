"""Captures what a client of the SDK would send."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from tribal.ports import UnsentRequest


class Unsent(httpx2.AsyncBaseTransport):
    """A transport that records requests without sending them, with empty credentials."""

    current = None

    def __init__(self) -> None:
        self.requests: list[UnsentRequest] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Record a request, and fail as if there were no network."""
        self.requests.append(UnsentRequest(str(request.url), await request.aread()))
        raise httpx2.ConnectError("nothing is sent")

    async def prepare(self) -> None:
        """Do nothing: there is no login."""

    def headers(self, _request: httpx2.Request) -> Mapping[str, str]:
        """No headers."""
        return {}

    async def renew(self, _refused: object) -> bool:
        """There is nothing to renew."""
        return False
