"""The tools of a deployed environment over HTTPS. Uses only the standard library."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribal import __version__
from tribal.errors import ConfigurationError, DeploymentRefused, DeploymentUnreachable, TribalError

if TYPE_CHECKING:
    from tribal.adapters.aws.request_signing import Sign

_TIMEOUT_SECONDS = 35.0
"""API Gateway times out after 29."""
_LARGEST_ANSWER_BYTES = 16 << 20
_CHUNK_BYTES = 1 << 16
_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 0.5
_QUOTED_CHARS = 300
_PASSING = frozenset({429, 500, 502, 503, 504})


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


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because requests carry credentials."""

    def redirect_request(self, *_: object) -> None:
        return None


class ToolApi:
    """Calls the API of one environment; any response that is not a tool's answer becomes a `TribalError`.

    Args:
        address: base URL of the API, without a trailing slash.
        sign: adds authentication to the headers of a request.
        pause: sleeps between attempts after a transient failure; calls are safe to repeat because they only read.
    """

    def __init__(self, address: str, sign: Sign, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._address = address
        self._sign = sign
        self._pause = pause
        self._opener = urllib.request.build_opener(_NoRedirects())

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """Call a tool and return its answer as JSON, whether it succeeded or failed.

        Raises:
            ConfigurationError: when there is no such API at the address, or it lacks this tool. DeploymentRefused: when
            the caller lacks permission.
            DeploymentUnreachable: when there is no answer. Retryable.
        """
        body = json.dumps(dict(arguments)).encode()
        answer = self._request("POST", f"/v1/tools/{tool}", body, lambda given: "tokens_used" in given.content())
        if "tokens_used" in answer.content():
            return answer.body
        if answer.status == 404:
            raise ConfigurationError(
                f"{self._address} has no tool {tool!r}; correct the profile's api, or deploy the environment again"
            )
        raise self._refusal(answer)

    def health(self) -> dict[str, Any]:
        """The API's report on its index: whether there is one, when it was built and from which manifest.

        Raises:
            ConfigurationError: when there is no such API at the address.
            DeploymentRefused: when the caller lacks permission.
            DeploymentUnreachable: when there is no answer. Retryable.
        """
        answer = self._request("GET", "/health", b"", lambda given: "ready" in given.content())
        if "ready" in answer.content():
            return answer.content()
        raise self._refusal(answer)

    def _request(self, method: str, path: str, body: bytes, is_answer: Callable[[_Answer], bool]) -> _Answer:
        for attempt in range(_ATTEMPTS):
            last = attempt + 1 == _ATTEMPTS
            try:
                answer = self._send(method, self._address + path, body)
            except DeploymentUnreachable:
                if last:
                    raise
            else:
                if last or answer.status not in _PASSING or is_answer(answer):
                    return answer
            self._pause(_FIRST_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _send(self, method: str, address: str, body: bytes) -> _Answer:
        plain = {"content-type": "application/json", "accept": "application/json"}
        headers = {**self._sign(method, address, body, plain), "user-agent": f"tribal/{__version__}"}
        # The address was validated when it was loaded: HTTPS or loopback.
        request = urllib.request.Request(address, body or None, headers, method=method)  # noqa: S310
        end = time.monotonic() + _TIMEOUT_SECONDS
        try:
            with self._opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                return _Answer(response.status, self._read(response, end))
        except urllib.error.HTTPError as exc:
            with exc:
                return _Answer(exc.code, self._read(exc, end))
        except (OSError, http.client.HTTPException) as exc:
            reason = getattr(exc, "reason", None) or exc
            raise self._unreachable(f"did not respond: {reason}; check the network, and the address") from exc

    def _read(self, response: Any, end: float) -> bytes:
        """The whole body, by a deadline: the socket timeout applies to each read, so a slow server would outlast it."""
        body = bytearray()
        while chunk := response.read1(_CHUNK_BYTES):
            body += chunk
            if len(body) > _LARGEST_ANSWER_BYTES:
                raise self._unreachable(f"answers with more than {_LARGEST_ANSWER_BYTES} bytes; send a smaller request")
            if time.monotonic() > end:
                raise self._unreachable(f"did not finish its answer in {_TIMEOUT_SECONDS:g} s; try again")
        return bytes(body)

    def _refusal(self, answer: _Answer) -> TribalError:
        content = answer.content()
        error = content.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        said = said or content.get("message") or content.get("Message")
        more = f" ({_plain(str(said)[:_QUOTED_CHARS])})" if said else ""
        status = answer.status
        if status in (401, 403):
            return DeploymentRefused(
                f"{self._address} rejected the caller{more}; your AWS identity needs execute-api:Invoke on this API; "
                "an API with tokens needs one that has not expired (TRIBAL_TOKEN)"
            )
        if status == 429:
            return self._unreachable(f"is rate-limited{more}; retry in a minute")
        if status in _PASSING:
            return self._unreachable(
                f"failed with {status}{more}; try again, and check the log of its retriever if that does not help"
            )
        return ConfigurationError(
            f"{self._address} answered {status}{more}: not an API of Tribal Knowledge; correct the profile's api"
        )

    def _unreachable(self, what: str) -> DeploymentUnreachable:
        return DeploymentUnreachable(f"{self._address} {what}")


def token_bearer(token: str) -> Sign:
    """Build a signer that adds a bearer token instead of a signature."""

    def sign(_method: str, _address: str, _body: bytes, headers: Mapping[str, str]) -> dict[str, str]:
        return {**headers, "authorization": f"Bearer {token}"}

    return sign


def _plain(text: str) -> str:
    """Text from elsewhere, without terminal control characters."""
    return "".join(char if char.isprintable() else " " for char in text)
