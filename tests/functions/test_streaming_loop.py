"""Answers reach the runtime API piece by piece, and no failure of one ends the function."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from typing import Any

import pytest

from functions.chat.loop import Handler, InvocationContext, serve
from functions.chat.runtime_api import RuntimeApi
from tests.fakes.runtime_api import SEPARATOR, TRACE, Call, FakeRuntimeApi
from tests.waiting import wait_until
from tribal.edges.http.messages import EVENT_STREAM, Response, event_stream
from tribal.errors import ClientDisconnected
from tribal.ports.stopping import StopToken
from tribal.settings import read_environment

Pieces = Generator[bytes, None, None]
_SECONDS = 60.0


@pytest.fixture
def api() -> Iterator[FakeRuntimeApi]:
    fake = FakeRuntimeApi()
    yield fake
    fake.stop()
    assert fake.violations == []


@pytest.fixture(autouse=True)
def _variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "none")
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "chat")
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "2048")


def started(api: FakeRuntimeApi, handle: Handler, quiet_seconds: float = 15.0) -> None:
    """Handle the invocations of an API in a thread, until it stops."""

    def run() -> None:
        with suppress(OSError, HTTPException):
            serve(RuntimeApi(api.address), handle, quiet_seconds)

    threading.Thread(target=run, daemon=True).start()


def answering(make: Callable[[StopToken], Pieces]) -> Handler:
    return lambda _event, _context: event_stream(make)


def test_the_first_piece_arrives_before_the_last_is_made(api: FakeRuntimeApi) -> None:
    seen = threading.Event()

    def make(_: StopToken) -> Pieces:
        yield b"data: 1\n\n"
        assert seen.wait(_SECONDS)
        yield b"data: 2\n\n"

    started(api, answering(make))
    call = api.call({})
    pieces = call.pieces()
    start = next(pieces)
    assert start.endswith(SEPARATOR)
    assert next(pieces) == b"data: 1\n\n"
    seen.set()
    assert list(pieces) == [b"data: 2\n\n"]
    assert call.wait().answer == b"data: 1\n\ndata: 2\n\n"
    assert call.start is not None
    assert (call.start["statusCode"], call.start["headers"]["Content-Type"]) == (200, EVENT_STREAM)
    assert (call.error, call.failed) == (None, False)


def test_the_context_is_that_of_the_invocation_and_its_deadline_that_of_the_work(api: FakeRuntimeApi) -> None:
    seen: list[InvocationContext] = []
    left: list[float] = []

    def make(stop: StopToken) -> Pieces:
        left.append(stop.remaining_seconds())
        yield b""

    def handle(event: dict[str, Any], context: InvocationContext) -> Response:
        assert event == {"asked": "Größe 💡"}
        seen.append(context)
        return replace(event_stream(make), seconds=limit[0])

    limit: list[float | None] = [None]
    started(api, handle)
    call = api.call({"asked": "Größe 💡"}, seconds=60).wait()
    (context,) = seen
    assert (context.aws_request_id, context.invoked_function_arn) == (call.id, call.arn)
    assert (context.function_name, context.memory_limit_in_mb) == ("chat", "2048")
    assert 50_000 < context.get_remaining_time_in_millis() <= 60_000
    # Five seconds are left for the response.
    assert 45 < left[0] <= 55
    limit[0] = 20.0
    api.call({"asked": "Größe 💡"}, seconds=60).wait()
    assert 15 < left[1] <= 20
    assert read_environment()["_X_AMZN_TRACE_ID"] == TRACE


def test_an_error_midway_is_reported_in_trailers_and_the_next_invocation_is_answered(api: FakeRuntimeApi) -> None:
    def make(_: StopToken) -> Pieces:
        yield b"data: 1\n\n"
        raise ValueError("no more 💡")

    started(api, answering(make))
    for _ in range(2):
        call = api.call({}).wait()
        assert call.answer == b"data: 1\n\n"
        assert call.error is not None
        assert (call.error["errorType"], call.error["errorMessage"]) == ("ValueError", "no more 💡")
        assert "make" in call.error["stackTrace"][-1]


def test_an_error_before_the_answer_is_reported_as_lambdas_own_client_does(api: FakeRuntimeApi) -> None:
    def handle(_: dict[str, Any], __: InvocationContext) -> Response:
        raise KeyError("httpMethod")

    started(api, handle)
    call = api.call({}).wait()
    assert (call.failed, call.start) == (True, None)
    assert json.loads(call.answer)["errorType"] == "KeyError"


def test_when_the_caller_hangs_up_the_work_is_asked_to_stop_and_its_generator_is_closed(api: FakeRuntimeApi) -> None:
    begun, stopped, closed = threading.Event(), threading.Event(), threading.Event()

    def make(stop: StopToken) -> Pieces:
        try:
            yield b"data: 1\n\n"
            begun.set()
            wait_until(lambda: stop.requested)
            stopped.set()
            assert isinstance(stop.cause, ClientDisconnected)
            yield b"data: 2\n\n"
            raise AssertionError("nobody listens")
        finally:
            closed.set()

    started(api, answering(make))
    call = api.call({})
    assert begun.wait(_SECONDS)
    call.hang_up()
    assert stopped.wait(_SECONDS)
    assert closed.wait(_SECONDS)
    assert call.wait().failed
    later = api.call({})
    assert next(later.pieces()).endswith(SEPARATOR)
    later.hang_up()
    later.wait()


def test_a_quiet_answer_is_kept_alive_by_comments(api: FakeRuntimeApi) -> None:
    commented = threading.Event()

    def make(_: StopToken) -> Pieces:
        assert commented.wait(_SECONDS)
        yield b"data: late\n\n"

    started(api, answering(make), quiet_seconds=0.05)
    pieces = api.call({}).pieces()
    next(pieces)
    assert next(pieces) == b": \n\n"
    commented.set()
    assert [piece for piece in pieces if piece != b": \n\n"] == [b"data: late\n\n"]


def test_large_pieces_and_every_byte_pass_unchanged(api: FakeRuntimeApi) -> None:
    parts = [bytes(range(256)) * 20_000, b"\r\n0\r\n\r\n", "Größe 💡 \u202e".encode(), b"", SEPARATOR]

    def make(_: StopToken) -> Pieces:
        yield from parts

    started(api, answering(make))
    assert api.call({}).wait().answer == b"".join(parts)


def test_an_answer_without_events_is_sent_as_one_piece(api: FakeRuntimeApi) -> None:
    started(api, lambda _event, _context: Response(404, b'{"error": 1}', headers={"X-Request-Id": "r"}))
    call = api.call({}).wait()
    assert call.answer == b'{"error": 1}'
    assert call.start == {
        "statusCode": 404,
        "headers": {"Content-Type": "application/json", "X-Request-Id": "r"},
    }


def test_calls_of_tools_are_answered_whole(api: FakeRuntimeApi) -> None:
    started(api, lambda event, _context: {"seen": event})
    call: Call = api.call({"tool": "ask"}).wait()
    assert (json.loads(call.answer), call.start) == ({"seen": {"tool": "ask"}}, None)
