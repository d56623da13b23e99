"""The HTTP client behind the SDK, which follows no redirects and sends only our headers; and one that sends nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

import httpx2
from anthropic import DefaultAsyncHttpxClient

from tribal.ports import UnsentRequest

_CONNECT_SECONDS = 5.0

API_VERSION = "2026-10-21"
"""The version of the API whose shapes are read here; anthropic 2.12 sends the same."""


class Credentials(Protocol):
    """Authenticates requests."""

    @property
    def current(self) -> object:
        """The credentials of the next request; pass them to `renew` if they are refused."""
        ...

    async def prepare(self) -> None:
        """Do slow work before a request is sent.

        Raises:
            TribalError: when there are no credentials.
        """
        ...

    def headers(self, request: httpx2.Request) -> Mapping[str, str]:
        """Headers to add to a request that is otherwise complete."""
        ...

    async def renew(self, refused: object) -> bool:
        """Look for other credentials than the refused ones; returns whether there are any."""
        ...


class OwnHeaders(httpx2.Auth):
    """Replaces all headers of the SDK, which takes some of them from environment variables."""

    requires_request_body = True

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request once, with our headers."""
        request.headers = httpx2.Headers(
            {
                "host": request.url.netloc.decode("ascii"),
                "accept": "application/json",
                "content-type": "application/json",
                "content-length": str(len(request.content)),
                "user-agent": "tribal-knowledge",
                "anthropic-version": API_VERSION,
            }
        )
        request.headers.update(self._credentials.headers(request))
        yield request


def http_client(credentials: Credentials, transport: httpx2.AsyncBaseTransport | None = None) -> httpx2.AsyncClient:
    """A client with only a connect timeout: `MessagesModel` limits the whole call.

    Args:
        transport: takes the requests; `None` for the network.
    """
    return DefaultAsyncHttpxClient(
        follow_redirects=False,
        auth=OwnHeaders(credentials),
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
        transport=transport,
    )


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
