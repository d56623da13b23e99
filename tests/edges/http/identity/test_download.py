"""Fetching the issuer's keys ends in time and within bounds, whatever answers."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.cases import each_case
from tests.waiting import LONGEST_SECONDS
from tribal.edges.http.identity import KeysUnavailable, download
from tribal.edges.http.identity.download import LARGEST_DOCUMENT_BYTES

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LIMIT_SECONDS = 0.5


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that answers each request so."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    line, _ = listener.accept()
                    with line, suppress(OSError):
                        line.recv(65_536)
                        answer(line)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/keys"


def drip(start: bytes) -> Callable[[socket.socket], None]:
    def answer(line: socket.socket) -> None:
        line.sendall(start)
        while True:
            line.sendall(b"x")
            time.sleep(0.05)

    return answer


def flood(line: socket.socket) -> None:
    line.sendall(OK + b"\r\n")
    while True:
        line.sendall(b" " * 65_536)


def saying(answer: bytes) -> Callable[[socket.socket], None]:
    return lambda line: line.sendall(answer)


def test_the_body_is_returned_as_it_is() -> None:
    with answering(saying(OK + b"Content-Length: 2\r\n\r\n{}")) as url:
        assert download(url, LONGEST_SECONDS) == b"{}"


@each_case(
    "answer",
    [
        drip(b""),
        drip(OK + b"X-Padding: "),
        drip(OK + b"Content-Length: 100000\r\n\r\n"),
        drip(OK + b"\r\n"),
        flood,
        saying(b""),
        saying(b"garbage\r\n\r\n"),
        saying(OK + b"Content-Length: 10\r\n\r\n{}"),
        saying(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
        saying(OK + b"Content-Length: %d\r\n\r\n" % (LARGEST_DOCUMENT_BYTES + 1) + b" " * (LARGEST_DOCUMENT_BYTES + 1)),
        saying(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}"),
        saying(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
    ],
    ids=lambda answer: getattr(answer, "__qualname__", "").split(".")[0],
)
def test_an_answer_that_is_no_whole_document_is_an_outage_in_time(answer: Callable[[socket.socket], None]) -> None:
    began = time.monotonic()
    with answering(answer) as url, pytest.raises(KeysUnavailable):
        download(url, LIMIT_SECONDS)
    assert time.monotonic() - began < LONGEST_SECONDS


@each_case(
    "url",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "http://",
        "",
        "http://[",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:1/a b\n",
    ],
)
def test_what_is_no_address_of_keys_is_an_outage_too(url: str) -> None:
    with pytest.raises(KeysUnavailable):
        download(url, LIMIT_SECONDS)
