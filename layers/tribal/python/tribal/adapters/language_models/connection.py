"""The HTTP client behind the SDK, which follows no redirects and sends only our headers; and one that sends nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Protocol

import httpx2

from tribal.adapters.language_models.limits import MOST_ERROR_BYTES
from tribal.errors import ConfigurationError, TribalError
from tribal.ports import UnsentRequest

if TYPE_CHECKING:
    from pydantic import SecretStr

_CONNECT_SECONDS = 5.0
_IDLE_CONNECTIONS = 100


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


class ApiKey:
    """An API key, which is looked up again after it was refused."""

    def __init__(self, key: SecretStr, renew: Callable[[], SecretStr | None] | None) -> None:
        self._key = key.get_secret_value().strip()
        self._renew = renew
        self._renewing = asyncio.Lock()

    @property
    def current(self) -> object:
        """The key."""
        return self._key

    async def prepare(self) -> None:
        """Check that the key can be sent.

        Raises:
            ConfigurationError: when it has characters that no key has.
        """
        if not (self._key.isascii() and self._key.isprintable() and self._key):
            raise ConfigurationError(
                "the secret named by model.api_key_secret does not contain a key; write the key into it"
            )

    def headers(self, _request: httpx2.Request) -> Mapping[str, str]:
        """The key as a header."""
        return {"authorization": f"Bearer {self._key}"}

    async def renew(self, refused: object) -> bool:
        """Look the key up, once for all calls that were refused with it."""
        async with self._renewing:
            if self.current == refused and self._renew is not None:
                try:
                    found = await asyncio.to_thread(self._renew)
                except TribalError:
                    found = None
                if found is not None:
                    self._key = found.get_secret_value().strip()
            return self.current != refused


class NoLogin:
    """The credentials of a server that takes none."""

    current = None

    async def prepare(self) -> None:
        """Do nothing: there is no login."""

    def headers(self, _request: httpx2.Request) -> Mapping[str, str]:
        """No headers."""
        return {}

    async def renew(self, _refused: object) -> bool:
        """There is nothing to renew."""
        return False


class OwnHeaders(httpx2.Auth):
    """Replaces all headers of the SDK, which takes some of them from environment variables."""

    requires_request_body = True

    def __init__(self, credentials: Credentials, more: Mapping[str, str]) -> None:
        self._credentials = credentials
        self._more = more

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request once, with our headers."""
        request.headers = httpx2.Headers(
            {
                "host": request.url.netloc.decode("ascii"),
                "accept": "application/json",
                "content-type": "application/json",
                "content-length": str(len(request.content)),
                "user-agent": "tribal-knowledge",
                **self._more,
            }
        )
        request.headers.update(self._credentials.headers(request))
        yield request


def http_client(
    credentials: Credentials, headers: Mapping[str, str], transport: httpx2.AsyncBaseTransport | None = None
) -> httpx2.AsyncClient:
    """A client with only a connect timeout: `HttpModel` limits the whole call.

    Args:
        headers: more headers of every request.
        transport: takes the requests; `None` for the network.
    """
    return httpx2.AsyncClient(
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_IDLE_CONNECTIONS),
        auth=OwnHeaders(credentials, headers),
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
        # SDKs read errors whole.
        event_hooks={"response": [_cut_error]},
        transport=transport,
    )


async def _cut_error(response: httpx2.Response) -> None:
    """Have only the beginning of an error response read."""
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Beginning(response.stream)


class _Beginning(httpx2.AsyncByteStream):
    """The first `MOST_ERROR_BYTES` of a stream."""

    def __init__(self, whole: httpx2.AsyncByteStream) -> None:
        self._whole = whole

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_ERROR_BYTES
        async for chunk in self._whole:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                return

    async def aclose(self) -> None:
        await self._whole.aclose()


class Unsent(NoLogin, httpx2.AsyncBaseTransport):
    """A transport that records requests without sending them, with empty credentials."""

    def __init__(self) -> None:
        self.requests: list[UnsentRequest] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Record a request, and fail as if there were no network."""
        self.requests.append(UnsentRequest(str(request.url), await request.aread()))
        raise httpx2.ConnectError("nothing is sent")
