"""Answers with events: sent as they are made, as slowly as the client reads, and ended when it disconnects."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.edges.http.asking import Asking, asking
from tests.edges.http.served import read_answer
from tests.edges.mcp.asked import index_project
from tests.fakes import application
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.edges.http.asgi import event_streams, running
from tribal.edges.http.asgi.event_streams import QUEUED_PIECES
from tribal.edges.http.messages import EVENT_STREAM, Events, Request, event_stream
from tribal.edges.http.routes import respond
from tribal.edges.http.routing import Route
from tribal.edges.mcp.waiting_threads import WAITING_AT_ONCE
from tribal.errors import TooManyRequests
from tribal.ports import Caller, StopToken

HEAD = b"GET /v1/story HTTP/1.1\r\nHost: localhost\r\n\r\n"
END = b"0\r\n\r\n"


def route_of(events: Events) -> Route:
    return Route("GET", "/v1/story", lambda _: event_stream(events), "A story.", content_type=EVENT_STREAM)


class Story:
    """A route whose pieces the test hands over one by one; `None` ends the answer, an error is raised."""

    def __init__(self) -> None:
        self.pieces: queue.Queue[bytes | Exception | None] = queue.Queue()
        self.made = 0
        self.closed = threading.Event()
        self.stopped = threading.Event()
        self.route = route_of(self.events)

    def events(self, stop: StopToken) -> Generator[bytes, None, None]:
        try:
            while (piece := self._next(stop)) is not None:
                if isinstance(piece, Exception):
                    raise piece
                self.made += 1
                yield piece
        finally:
            self.closed.set()

    def _next(self, stop: StopToken) -> bytes | Exception | None:
        while not stop.requested:
            try:
                return self.pieces.get(timeout=0.01)
            except queue.Empty:
                continue
        self.stopped.set()
        return None if self.pieces.empty() else self.pieces.get()


@contextmanager
def telling(folder: Path) -> Iterator[tuple[Asking, Story]]:
    story = Story()
    with asking(folder, [story.route]) as server:
        yield server, story


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


def connected(server: Asking) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), timeout=LONGEST_SECONDS)
    line.sendall(HEAD)
    return line


def receive_until(line: socket.socket, wanted: bytes) -> bytes:
    received = b""
    while wanted not in received:
        piece = line.recv(65_536)
        assert piece, received
        received += piece
    return received


def logged(server: Asking) -> dict[str, Any]:
    """The log line of the answer, which is written a moment after its end."""
    return wait_until(lambda: [line for line in server.log if line["path"] == "/v1/story"])[0]


def test_headers_are_sent_at_once_and_each_piece_as_it_is_made(project: Path) -> None:
    with telling(project) as (server, story), httpx2.Client(timeout=LONGEST_SECONDS) as client:
        headers = {"accept": EVENT_STREAM, "accept-encoding": "gzip"}
        with client.stream("GET", f"{server.address}/v1/story", headers=headers) as answer:
            # Nothing was made yet.
            assert (answer.status_code, story.made) == (200, 0)
            sent = {name: answer.headers[name] for name in ("content-type", "cache-control", "x-accel-buffering")}
            assert sent == {"content-type": EVENT_STREAM, "cache-control": "no-cache", "x-accel-buffering": "no"}
            assert "content-encoding" not in answer.headers
            received = answer.iter_raw()
            for number in range(3):
                piece = f"data: {number} {'x' * 2_000}\n\n".encode()
                story.pieces.put(piece)
                assert next(received) == piece
            story.pieces.put(None)
            assert list(received) == []
        line = logged(server)
        assert (line["status"], line["subject"] != "", line.get("error")) == (200, True, None)
        metrics = client.get(f"{server.address}/metrics").text
        assert 'tribal_requests_total{route="/v1/story",status="200",tool=""} 1.0' in metrics


def test_while_nothing_is_sent_comments_show_that_the_connection_is_in_use(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "QUIET_SECONDS", 0.05)
    with telling(project) as (server, story), connected(server) as line:
        assert receive_until(line, b": \n\n\r\n4\r\n: \n\n").startswith(b"HTTP/1.1 200 OK\r\n")
        story.pieces.put(b"data: x\n\n")
        receive_until(line, b"data: x\n\n")
        story.pieces.put(None)
        receive_until(line, END)


def test_a_client_that_disconnects_ends_the_work_and_is_logged(project: Path) -> None:
    with telling(project) as (server, story):
        with connected(server) as line:
            story.pieces.put(b"data: 1\n\n")
            receive_until(line, b"data: 1\n\n")
        assert story.stopped.wait(LONGEST_SECONDS)
        assert story.closed.wait(LONGEST_SECONDS)
        line_of_log = logged(server)
        assert (line_of_log["status"], line_of_log.get("error")) == (499, None)
        assert story.made == 1


def test_a_client_that_disconnects_has_a_generator_closed_that_only_yields(project: Path) -> None:
    closed = threading.Event()

    def endless(_: StopToken) -> Generator[bytes, None, None]:
        try:
            while True:
                yield b"data: x\n\n"
        finally:
            closed.set()

    with asking(project, [route_of(endless)]) as server:
        with connected(server) as line:
            receive_until(line, b"data: x\n\n")
        assert closed.wait(LONGEST_SECONDS)
        assert logged(server)["status"] == 499


def test_a_client_that_does_not_read_slows_the_work_down(project: Path) -> None:
    piece = b"data: " + b"x" * 100_000 + b"\n\n"
    with telling(project) as (server, story):
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            line.connect(("127.0.0.1", server.port))
            line.sendall(HEAD)
            for _ in range(1_000):
                story.pieces.put(piece)
            before = -1
            while before != story.made or story.made < QUEUED_PIECES:
                before = story.made
                # The server goes on meanwhile: it would make more if it could.
                for _ in range(5):
                    server.ask("search_tables", query="customer")
            # What the system's own buffers hold, and what waits here.
            assert story.made < 200
        assert story.closed.wait(LONGEST_SECONDS)


def test_an_error_after_the_headers_cuts_the_answer_off_and_is_logged_without_its_text(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with telling(project) as (server, story), connected(server) as line:
        story.pieces.put(b"data: 1\n\n")
        received = receive_until(line, b"data: 1\n\n")
        story.pieces.put(ZeroDivisionError("secret value 4711"))
        while piece := line.recv(65_536):
            received += piece
        assert END not in received
        line_of_log = logged(server)
        assert (line_of_log["status"], line_of_log["level"]) == (500, "error")
        assert line_of_log["error"] == "ZeroDivisionError"
    assert "4711" not in json.dumps(server.log) + "".join(capfd.readouterr())


def test_a_server_that_stops_lets_answers_say_that_they_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "ENDING_SECONDS", 0.1)
    with telling(project) as (server, story), connected(server) as line:
        receive_until(line, b"\r\n\r\n")
        server.server.should_exit = True
        assert story.stopped.wait(LONGEST_SECONDS)
        receive_until(line, END)
        assert line.recv(1) == b""
        assert logged(server)["status"] == 200


def test_work_that_only_raises_why_it_was_asked_to_stop_has_ended_as_it_should(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "ENDING_SECONDS", 0.1)

    def events(stop: StopToken) -> Generator[bytes, None, None]:
        yield b"data: 1\n\n"
        while True:
            time.sleep(0.01)
            stop.check()

    with asking(project, [route_of(events)]) as server, connected(server) as line:
        receive_until(line, b"data: 1\n\n")
        server.server.should_exit = True
        receive_until(line, END)
        line_of_log = logged(server)
        assert (line_of_log["status"], line_of_log["error"]) == (503, "ServerBusy")


def test_work_that_goes_on_although_the_server_stops_is_cut_off_and_its_thread_ends(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "DRAINING_SECONDS", 0.2)
    closed = threading.Event()

    def endless(stop: StopToken) -> Generator[bytes, None, None]:
        try:
            while True:
                yield b"data: 1\n\n"
                time.sleep(0.01)
        finally:
            assert stop.requested
            closed.set()

    with asking(project, [route_of(endless)]) as server, connected(server) as line:
        receive_until(line, b"data: 1\n\n")
        server.server.should_exit = True
        assert closed.wait(LONGEST_SECONDS)
        assert logged(server)["status"] == 503


def test_answers_with_events_count_among_those_that_wait(project: Path) -> None:
    with telling(project) as (server, _):
        lines = [connected(server) for _ in range(WAITING_AT_ONCE // 2)]
        for line in lines:
            receive_until(line, b"\r\n\r\n")
        with connected(server) as line:
            refused = read_answer(line)
            assert (refused.status, refused.headers["retry-after"]) == (429, "2")
        assert server.ask("search_tables", query="customer").status_code == 200
        for line in lines:
            line.close()
        wait_until(lambda: all(_is_answered(server) for _ in range(WAITING_AT_ONCE)))


def _is_answered(server: Asking) -> bool:
    with connected(server) as line:
        return receive_until(line, b"\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_the_work_knows_its_deadline_and_is_refused_before_headers_are_sent(project: Path) -> None:
    left: list[float] = []
    admitted: list[str] = []

    def events(stop: StopToken) -> Generator[bytes, None, None]:
        left.append(stop.remaining_seconds())
        yield b"data: x\n\n"

    @contextmanager
    def admission() -> Iterator[None]:
        if admitted:
            raise TooManyRequests("one is enough", 7)
        admitted.append("in")
        yield
        admitted.append("out")

    response = replace(event_stream(events), seconds=60.0, admission=admission)
    route = Route("GET", "/v1/story", lambda _: response, "A story.", content_type=EVENT_STREAM)
    with asking(project, [route]) as server:
        with connected(server) as line:
            receive_until(line, END)
        with connected(server) as line:
            refused = read_answer(line)
        assert (refused.status, refused.headers["retry-after"]) == (429, "7")
    assert (admitted, 50 < left[0] <= 60) == (["in", "out"], True)
    with pytest.raises(TooManyRequests):
        response.complete()
    admitted.clear()
    assert response.complete().body == b"data: x\n\n"


def test_an_edge_that_sends_only_whole_bodies_sends_the_same_bytes() -> None:
    def events(_: StopToken) -> Generator[bytes, None, None]:
        yield b"data: 1\n\n"
        yield b"data: 2\n\n"

    routes = (route_of(events),)
    whole = respond(Request("GET", "/v1/story", Caller("a")), application(), routes=routes).complete()
    assert (whole.body, whole.content_type, whole.events) == (b"data: 1\n\ndata: 2\n\n", EVENT_STREAM, None)
    head = respond(Request("HEAD", "/v1/story", Caller("a")), application(), routes=routes)
    assert (head.body, head.events) == (b"", None)
