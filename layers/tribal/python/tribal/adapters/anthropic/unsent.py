"""What a client of the SDK would send, taken from it where the network begins."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from tribal.ports import UnsentRequest


class Unsent(httpx2.AsyncBaseTransport):
    """A transport that keeps each request and sends none, and the credentials of nobody to go with it."""

    current = None

    def __init__(self) -> None:
        self.requests: list[UnsentRequest] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Keep a request, and fail as if there were no network."""
        self.requests.append(UnsentRequest(str(request.url), await request.aread()))
        raise httpx2.ConnectError("nothing is sent")

    async def prepare(self) -> None:
        """Nobody logs in."""

    def headers(self, _request: httpx2.Request) -> Mapping[str, str]:
        """No headers of nobody."""
        return {}

    async def renew(self, _refused: object) -> bool:
        """There is nothing to renew."""
        return False
