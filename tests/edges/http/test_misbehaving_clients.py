"""Clients that send slowly, endlessly or nothing: each is refused or dropped, and others are served meanwhile."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import pytest
from uvicorn import Server

from tests.cases import each_case
from tests.edges.http.served import QUESTION, TOOL, Raw, read_answer
from tests.edges.mcp.asked import index_project
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.edges.http.asgi import guards, protocol, serving
from tribal.edges.http.asgi.running import _config, listen
from tribal.edges.http.asgi.starting import ServerBlueprint
from tribal.settings import load_settings

LIMIT_SECONDS = 0.4
"""Of time, where one is waited for. Elsewhere it is what it always is, which lasts for a client on a busy machine."""


@pytest.fixture(name="port", scope="module")
def port_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server."""
    folder: Path = tmp_path_factory.mktemp("project")
    index_project(folder)
    with listen("127.0.0.1", 0) as listening:
        settings = load_settings(project=folder, environment={}, needs_databases=False)
        server = Server(_config(ServerBlueprint(settings, "127.0.0.1"), 1))
        running = threading.Thread(target=server.run, args=([listening],))
        running.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        running.join(LONGEST_SECONDS)
        assert not running.is_alive()


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LONGEST_SECONDS)


def ask(port: int) -> int:
    return httpx2.post(f"http://127.0.0.1:{port}{TOOL}", json=QUESTION, timeout=LONGEST_SECONDS).status_code


def refused(answer: Raw) -> tuple[int, str]:
    return answer.status, json.loads(answer.body)["error"]["code"]


def test_hundreds_of_clients_that_drip_are_dropped_and_others_are_served_meanwhile(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for those who are served meanwhile.
    monkeypatch.setattr(protocol, "HEADER_SECONDS", 4 * LIMIT_SECONDS)
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(port)) for _ in range(300)]
        for line in slow:
            line.sendall(b"POST / HTTP/1.1\r\nHost: local")
        ended = threading.Event()

        def drip() -> None:
            while not ended.wait(0.05):
                for line in slow:
                    with suppress(OSError):
                        line.send(b"x")

        with ThreadPoolExecutor(1) as pool:
            dripping = pool.submit(drip)
            try:
                assert {ask(port) for _ in range(20)} == {200}
                assert all(_is_dropped(line) for line in slow)
            finally:
                ended.set()
            dripping.result()
    assert ask(port) == 200


def _is_dropped(line: socket.socket) -> bool:
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


def test_a_connection_on_which_nothing_is_sent_is_dropped(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEADER_SECONDS", LIMIT_SECONDS)
    with connect(port) as line:
        assert _is_dropped(line)


def test_the_second_request_of_a_connection_has_no_more_time_than_the_first(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(port) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_answer(line).status == 200
        monkeypatch.setattr(protocol, "HEADER_SECONDS", LIMIT_SECONDS)
        line.sendall(b"GET /health HTTP/1.1\r\nHo")
        assert _is_dropped(line)


@pytest.mark.parametrize("framing", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_a_body_that_does_not_arrive_is_refused_with_the_reason(
    port: int, framing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "BODY_SECONDS", LIMIT_SECONDS)
    with connect(port) as line:
        line.sendall(f"POST {TOOL} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n\r\n".encode())
        assert refused(read_answer(line)) == (408, "HTTP_TOO_SLOW")
        assert _is_dropped(line)


@each_case("path", [TOOL, "/mcp"])
def test_a_gigabyte_is_refused_before_it_is_read(port: int, path: str) -> None:
    with connect(port) as line:
        line.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10**9}\r\n\r\n".encode())
        line.sendall(b"[" * 1_000_000)
        assert refused(read_answer(line)) == (413, "HTTP_BODY_TOO_LARGE")


def test_a_body_without_an_announced_size_is_read_only_as_far_as_it_may_go(port: int) -> None:
    with connect(port) as line:
        line.sendall(f"POST {TOOL} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(10):
            line.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
        assert refused(read_answer(line)) == (413, "HTTP_BODY_TOO_LARGE")


def test_what_all_bodies_hold_together_has_a_limit(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "BODIES_BYTES", 100_000)
    with connect(port) as first, connect(port) as second:
        head = f"POST {TOOL} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n".encode()
        first.sendall(head + b" " * 55_000)
        second.sendall(head + b" " * 55_000)
        # Which of them has the room is up to the server.
        (busy,), *_ = select.select([first, second], [], [], LONGEST_SECONDS)
        assert refused(read_answer(busy)) == (503, "HTTP_BUSY")
        served = second if busy is first else first
        served.sendall(b" " * 5_000)
        assert read_answer(served).status == 400
    assert ask(port) == 200


def test_an_answer_that_no_one_takes_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "STALLED_SECONDS", LIMIT_SECONDS)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        line.connect(("127.0.0.1", port))
        request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        # As many answers as no buffer holds; then nothing is read until the server has given up.
        with suppress(ConnectionError, TimeoutError):
            line.settimeout(0.2)
            for _ in range(400):
                line.sendall(request)
        assert ask(port) == 200
        wait_until(lambda: _is_broken(line))


def _is_broken(line: socket.socket) -> bool:
    try:
        line.send(b"x")
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return False


@each_case(
    "sent",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"PUT /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=lambda sent: repr(sent[:40]),
)
def test_what_is_no_request_is_refused(port: int, sent: bytes) -> None:
    with connect(port) as line:
        with suppress(ConnectionError):
            line.sendall(sent)
        try:
            assert read_answer(line).status in (400, 405, 421, 431)
        except ConnectionError:
            assert _is_dropped(line)
    assert ask(port) == 200


def test_as_many_connections_are_served_as_there_may_be(port: int) -> None:
    assert serving.CONNECTIONS >= 1_000
    with ExitStack() as stack:
        lines = [stack.enter_context(connect(port)) for _ in range(50)]
        for line in lines:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert {read_answer(line).status for line in lines} == {200}
