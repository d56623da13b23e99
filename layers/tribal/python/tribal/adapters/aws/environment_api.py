"""The API of a deployed environment over HTTPS. Uses only the standard library."""

from __future__ import annotations

import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribal import __version__
from tribal.adapters.aws.forms import Form
from tribal.errors import ConfigurationError, DeploymentRefused, DeploymentUnreachable, TribalError

if TYPE_CHECKING:
    from pathlib import Path

    from tribal.adapters.aws.request_signing import Sign

_TIMEOUT_SECONDS = 35.0
"""API Gateway times out after 29. Between two pieces of a streamed answer, a comment comes every 15."""
_LARGEST_ANSWER_BYTES = 16 << 20
_LONGEST_LINE_BYTES = 4 << 20
_CHUNK_BYTES = 1 << 16
_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 0.5
_QUOTED_CHARS = 300
_THROTTLED = 429
_PASSING = frozenset({_THROTTLED, 500, 502, 503, 504})
_JSON = "application/json"
_EVENTS = "text/event-stream"
_DATA = b"data: "
_NOT_SENT = (ConnectionRefusedError, socket.gaierror)
"""Reasons for which a request cannot have arrived."""
_CHECK = "check the network, and the address"
_NO_ROUTE = "Missing Authentication Token"
"""API Gateway's answer, with a status of 403, to a signed request for a path that it does not have."""


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    address: str
    body: bytes = b""
    content_type: str = _JSON
    repeats: bool = False
    """Whether it may be sent again after its answer was lost."""
    accept: str = _JSON


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes

    def content(self) -> dict[str, Any]:
        """The body as a JSON object; empty when it is anything else."""
        try:
            content = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    @property
    def is_answer(self) -> bool:
        """Whether a route has answered, with a result or with an error, which says that it is no success."""
        content = self.content()
        return "success" in content or (self.status < http.HTTPStatus.MULTIPLE_CHOICES and bool(content))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because requests carry credentials."""

    def redirect_request(self, *_: object) -> None:
        return None


class EnvironmentApi:
    """Calls the API of one environment; a response that does not come from it becomes a `TribalError`.

    Every method raises:
        ConfigurationError: when there is no such API at the address, or it lacks what is asked for.
        DeploymentRefused: when the caller lacks permission.
        DeploymentUnreachable: when there is no answer. Retryable, unless the message says that the request may have
            been carried out.

    Args:
        address: base URL of the API, without a trailing slash.
        sign: adds authentication to the headers of a request.
        pause: sleeps between attempts after a transient failure. Only requests that may be repeated are sent again,
            and those that were throttled before they reached anything.
    """

    def __init__(self, address: str, sign: Sign, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._address = address
        self._sign = sign
        self._pause = pause
        self._opener = urllib.request.build_opener(_NoRedirects())

    def call(self, tool: str, arguments: Mapping[str, Any], *, repeats: bool) -> bytes:
        """Call a tool and return its answer as JSON, whether it succeeded or failed.

        Args:
            tool: its name.
            arguments: its input.
            repeats: whether the call may be sent again when its answer was lost.
        """
        request = self._to("POST", f"/v1/tools/{tool}", json.dumps(dict(arguments)).encode(), repeats)
        answer = self._answer(request)
        if answer.is_answer:
            return answer.body
        if answer.status == http.HTTPStatus.NOT_FOUND:
            raise ConfigurationError(
                f"{self._address} has no tool {tool!r}; correct the profile's api, or deploy the environment again"
            )
        raise self._refusal(answer, request)

    def health(self) -> dict[str, Any]:
        """The API's report on its index: whether there is one, when it was built and from which manifest."""
        request = self._to("GET", "/health", repeats=True)
        answer = self._answer(request)
        if "ready" in answer.content():
            return answer.content()
        raise self._refusal(answer, request)

    def send(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> bytes:
        """Send a request to a route and return its answer as JSON, whether it succeeded or failed."""
        body = b"" if content is None else json.dumps(dict(content)).encode()
        return self._routed(self._to(method, path, body, repeats=method == "GET"))

    def send_form(self, path: str, fields: Mapping[str, str], file: Path) -> bytes:
        """Send a form with a file, which is read whole, and return the answer as JSON, as `send` does."""
        form = Form(fields, file)
        return self._routed(_Request("POST", self._address + path, b"".join(form.pieces()), form.content_type))

    def store_file(self, address: str, fields: Mapping[str, str], file: Path) -> None:
        """Send a form with a file, piece by piece and unsigned, to an address that the environment has made for it."""
        form = Form(fields, file)
        headers = {"content-type": form.content_type, "content-length": str(form.size_bytes)}
        with self._opened(_Request("POST", address), form.pieces(), headers) as response:
            answer = _Answer(response.status, response.read(_QUOTED_CHARS))
        if answer.status >= http.HTTPStatus.MULTIPLE_CHOICES:
            said = _plain(answer.body.decode("utf-8", "replace"))
            raise DeploymentUnreachable(f"the store answered {answer.status} ({said}); upload the file again")

    def events(self, path: str, content: Mapping[str, Any]) -> Generator[bytes, None, None]:
        """Ask for a streamed answer; yields the data of each event as JSON, or only the error that it fails with."""
        request = self._to("POST", path, json.dumps(dict(content)).encode())
        signed = self._signed(_Request(request.method, request.address, request.body, accept=f"{_EVENTS}, {_JSON}"))
        with self._opened(request, request.body, signed) as response:
            if response.headers.get_content_type() == _EVENTS:
                yield from self._data_in(response)
                return
            answer = _Answer(response.status, self._read(response, time.monotonic() + _TIMEOUT_SECONDS))
        if not answer.is_answer:
            raise self._refusal(answer, request)
        yield answer.body

    def _data_in(self, response: Any) -> Iterator[bytes]:
        left = _LARGEST_ANSWER_BYTES
        while line := response.readline(_LONGEST_LINE_BYTES):
            left -= len(line)
            if left < 0:
                raise self._too_large()
            if line.startswith(_DATA):
                yield line.removeprefix(_DATA).strip()

    def _to(self, method: str, path: str, body: bytes = b"", repeats: bool = False) -> _Request:
        return _Request(method, self._address + path, body, repeats=repeats)

    def _routed(self, request: _Request) -> bytes:
        answer = self._answer(request)
        if answer.is_answer:
            return answer.body
        raise self._refusal(answer, request)

    def _answer(self, request: _Request) -> _Answer:
        passing = _PASSING if request.repeats else {_THROTTLED}
        for attempt in range(_ATTEMPTS):
            last = attempt + 1 == _ATTEMPTS
            try:
                answer = self._sent(request)
            except DeploymentUnreachable:
                if last or not request.repeats:
                    raise
            else:
                if last or answer.status not in passing or answer.is_answer:
                    return answer
            self._pause(_FIRST_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _sent(self, request: _Request) -> _Answer:
        end = time.monotonic() + _TIMEOUT_SECONDS
        with self._opened(request, request.body or None, self._signed(request)) as response:
            return _Answer(response.status, self._read(response, end, _unsure(request)))

    def _signed(self, request: _Request) -> dict[str, str]:
        plain = {"content-type": request.content_type, "accept": request.accept}
        return self._sign(request.method, request.address, request.body, plain)

    @contextmanager
    def _opened(
        self, request: _Request, body: bytes | Iterable[bytes] | None, headers: Mapping[str, str]
    ) -> Iterator[Any]:
        """Send a request and open the response to it, whatever its status."""
        sent = {**headers, "user-agent": f"tribal/{__version__}"}
        # The address was validated when it was loaded: HTTPS or loopback.
        prepared = urllib.request.Request(request.address, body, sent, method=request.method)  # noqa: S310
        try:
            try:
                response = self._opener.open(prepared, timeout=_TIMEOUT_SECONDS)
            except urllib.error.HTTPError as exc:
                response = exc
            with closing(response):
                yield response
        except (OSError, http.client.HTTPException) as exc:
            reason = getattr(exc, "reason", None) or exc
            hint = _CHECK if isinstance(reason, _NOT_SENT) else _unsure(request) or _CHECK
            raise self._unreachable(f"did not respond: {reason}; {hint}") from exc

    def _read(self, response: Any, end: float, unsure: str = "") -> bytes:
        """The whole body, by a deadline: the socket timeout applies to each read, so a slow server would outlast it."""
        body = bytearray()
        while chunk := response.read1(_CHUNK_BYTES):
            body += chunk
            if len(body) > _LARGEST_ANSWER_BYTES:
                raise self._too_large()
            if time.monotonic() > end:
                raise self._unreachable(f"did not finish its answer in {_TIMEOUT_SECONDS:g} s; {unsure or 'try again'}")
        return bytes(body)

    def _refusal(self, answer: _Answer, request: _Request) -> TribalError:
        content = answer.content()
        error = content.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        said = said or content.get("message") or content.get("Message")
        more = f" ({_plain(str(said)[:_QUOTED_CHARS])})" if said else ""
        status, path = answer.status, request.address.removeprefix(self._address).partition("?")[0]
        if said == _NO_ROUTE or (status == http.HTTPStatus.NOT_FOUND and content):
            return ConfigurationError(
                f"{self._address} has no route {request.method} {path}; configure what answers it in the file of the "
                "environment, and deploy it again"
            )
        if status in (401, 403):
            return DeploymentRefused(
                f"{self._address} rejected the caller{more}; your AWS identity needs execute-api:Invoke on this API; "
                "an API with tokens needs one that has not expired (TRIBAL_TOKEN)"
            )
        if status == _THROTTLED:
            return self._unreachable(f"is rate-limited{more}; retry in a minute")
        if status in _PASSING:
            hint = _unsure(request) or "try again"
            return self._unreachable(
                f"failed with {status}{more}; {hint}, and check the log of its function if that does not help"
            )
        return ConfigurationError(
            f"{self._address} answered {status}{more}: not an API of Tribal Knowledge; correct the profile's api"
        )

    def _too_large(self) -> DeploymentUnreachable:
        return self._unreachable(f"answers with more than {_LARGEST_ANSWER_BYTES} bytes; send a smaller request")

    def _unreachable(self, what: str) -> DeploymentUnreachable:
        return DeploymentUnreachable(f"{self._address} {what}")


def token_bearer(token: str) -> Sign:
    """Build a signer that adds a bearer token instead of a signature."""

    def sign(_method: str, _address: str, _body: bytes, headers: Mapping[str, str]) -> dict[str, str]:
        return {**headers, "authorization": f"Bearer {token}"}

    return sign


def _unsure(request: _Request) -> str:
    """Say what to do when the answer to a request that is not repeated was lost; empty if it is repeated."""
    return "" if request.repeats else "it may have been carried out: look before you repeat it"


def _plain(text: str) -> str:
    """Text from elsewhere, without terminal control characters."""
    return "".join(char if char.isprintable() else " " for char in text)
