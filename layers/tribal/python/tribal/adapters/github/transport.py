"""Sends one HTTP request and receives its answer within a time and a size. Nothing is retried or redirected here."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

import urllib3
from dulwich.client import default_urllib3_manager

from tribal.adapters.github.address import origin_of

_CHUNK_BYTES = 1 << 16
_SOCKET_SECONDS = 20.0
_REQUEST_LOG = logging.getLogger("urllib3.connectionpool")


class NoAnswerError(Exception):
    """A request got no answer, or none that GitHub sends; whether it had an effect is not known."""


class Sink(Protocol):
    """Takes a body as it arrives."""

    def write(self, data: bytes) -> object:
        """Take a part; may raise a `TribalError`, which ends the request."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; the body is empty where a sink took it."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    most_bytes: int = 16 << 20
    """Size from which an answer is refused, unless a sink takes it."""
    sink: Sink | BinaryIO | None = field(default=None, repr=False)
    """Takes the body of a 200."""


class Transport:
    """Connections to the hosts that requests name; proxies and certificates are the environment's.

    Args:
        seconds: how long a request may take from its beginning to the last byte of its answer.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._managers: dict[str, Any] = {}
        if not any(isinstance(each, _WithoutTokens) for each in _REQUEST_LOG.filters):
            _REQUEST_LOG.addFilter(_WithoutTokens())

    def send(self, outgoing: Outgoing, seconds: float | None = None) -> Answer:
        """Send a request and receive the answer, in a thread that is abandoned when the time is up.

        Raises:
            NoAnswerError: when it does not arrive, is cut, too large or too slow.
        """
        allowed = self._seconds if seconds is None else seconds
        exchange = _Exchange(self._manager(outgoing.url), outgoing, min(allowed, _SOCKET_SECONDS))
        thread = threading.Thread(target=exchange.run, name="asking GitHub", daemon=True)
        thread.start()
        thread.join(allowed)
        if thread.is_alive():
            exchange.is_over.set()
            raise NoAnswerError(f"it took longer than {allowed:g} s")
        if exchange.failure is not None:
            raise exchange.failure
        assert exchange.answer is not None
        return exchange.answer

    def close(self) -> None:
        """Close idle connections."""
        for manager in self._managers.values():
            manager.clear()
        self._managers.clear()

    def _manager(self, url: str) -> Any:
        origin = "://".join(origin_of(url))
        if origin not in self._managers:
            self._managers[origin] = default_urllib3_manager(None, base_url=origin)
        return self._managers[origin]


class _Exchange:
    """A request and what came of it, once `run` has ended."""

    def __init__(self, manager: Any, outgoing: Outgoing, socket_seconds: float) -> None:
        self._manager = manager
        self._outgoing = outgoing
        self._socket_seconds = socket_seconds
        self.is_over = threading.Event()
        self.answer: Answer | None = None
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            self.answer = self._run()
        except urllib3.exceptions.HTTPError as error:
            self.failure = NoAnswerError(_reason(error))
        except (OSError, ValueError) as error:
            self.failure = NoAnswerError(f"the request failed ({type(error).__name__})")
        except BaseException as error:  # noqa: BLE001 - raised by the caller's thread
            self.failure = error

    def _run(self) -> Answer:
        out = self._outgoing
        response = self._manager.request(
            out.method,
            out.url,
            headers=dict(out.headers),
            body=out.body,
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
            timeout=self._socket_seconds,
        )
        headers = {name.lower(): value for name, value in response.headers.items()}
        is_whole = False
        try:
            sink = out.sink if response.status == 200 else None
            body = self._receive(response, sink)
            is_whole = True
            return Answer(response.status, headers, body)
        finally:
            if is_whole:
                response.release_conn()
            else:
                response.close()

    def _receive(self, response: Any, sink: Sink | BinaryIO | None) -> bytes:
        parts: list[bytes] = []
        left = self._outgoing.most_bytes
        while data := response.read1(_CHUNK_BYTES):
            left -= len(data)
            if left < 0 and sink is None:
                raise NoAnswerError(f"the answer has more than {self._outgoing.most_bytes:,} bytes")
            if self.is_over.is_set():
                raise NoAnswerError("it took too long")
            if sink is None:
                parts.append(data)
            else:
                sink.write(data)
        return b"".join(parts)


class _WithoutTokens(logging.Filter):
    """Leaves out of the log the addresses of archives, which carry a token."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "token=" not in record.getMessage()


def _reason(error: urllib3.exceptions.HTTPError) -> str:
    """Say why there was no answer, without the address."""
    if isinstance(error, urllib3.exceptions.SSLError):
        return f"its certificate was not accepted ({type(error).__name__})"
    # It derives from a time-out.
    if isinstance(error, urllib3.exceptions.NewConnectionError):
        return "cannot connect to it"
    if isinstance(error, urllib3.exceptions.TimeoutError):
        return "it did not answer in time"
    return f"the connection broke ({type(error).__name__})"
