"""The stand-in for Lambda's runtime API takes what the service takes, and notes what it would refuse."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes.runtime_api import LARGEST_PRELUDE_BYTES, SEPARATOR, STREAMED, FakeRuntimeApi

ROOT = "/2018-06-01/runtime"
START = json.dumps({"statusCode": 200, "headers": {}}).encode()
HEADERS = {"Content-Type": STREAMED, "Lambda-Runtime-Function-Response-Mode": "streaming"}
ERROR = {"errorType": "ValueError", "errorMessage": "no"}
ENCODED = base64.b64encode(json.dumps(ERROR).encode()).decode()


@pytest.fixture
def api() -> Iterator[FakeRuntimeApi]:
    fake = FakeRuntimeApi()
    yield fake
    fake.stop()


def taken(api: FakeRuntimeApi) -> tuple[HTTPConnection, str, Any]:
    """A connection of a function that has taken the next invocation, its id, and its event."""
    connection = HTTPConnection(api.address)
    connection.request("GET", f"{ROOT}/invocation/next")
    answer = connection.getresponse()
    return connection, answer.headers["Lambda-Runtime-Aws-Request-Id"], json.loads(answer.read())


def streamed(
    connection: HTTPConnection, identifier: str, chunks: list[bytes], headers: dict[str, str], trailers: str = ""
) -> int:
    """Send an answer in chunks; returns the status."""
    connection.putrequest("POST", f"{ROOT}/invocation/{identifier}/response")
    for name, value in {**headers, "Transfer-Encoding": "chunked"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    for chunk in chunks:
        connection.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))
    connection.send(b"0\r\n" + trailers.encode() + b"\r\n")
    answer = connection.getresponse()
    answer.read()
    return answer.status


@pytest.mark.representative
def test_a_whole_answer_and_a_streamed_one_are_taken(api: FakeRuntimeApi) -> None:
    first, second = api.call({"number": 1}), api.call({"number": 2})
    connection, identifier, event = taken(api)
    assert (identifier, event) == (first.id, {"number": 1})
    connection.request("POST", f"{ROOT}/invocation/{identifier}/response", b'{"ok": true}')
    assert connection.getresponse().read() == b'{"status": "OK"}'
    assert (first.wait().answer, first.start) == (b'{"ok": true}', None)
    connection, identifier, _ = taken(api)
    assert streamed(connection, identifier, [START[:5], START[5:] + SEPARATOR + b"a", b"b"], HEADERS) == 202
    assert (second.wait().answer, second.start) == (b"ab", json.loads(START))
    assert list(second.pieces()) == [START[:5], START[5:] + SEPARATOR + b"a", b"b"]
    assert api.violations == []


def test_errors_are_taken_before_an_answer_and_in_its_trailers(api: FakeRuntimeApi) -> None:
    first, second = api.call(1), api.call(2)
    connection, identifier, _ = taken(api)
    body, named = json.dumps(ERROR), {"Lambda-Runtime-Function-Error-Type": "ValueError"}
    connection.request("POST", f"{ROOT}/invocation/{identifier}/error", body, named)
    connection.getresponse().read()
    assert (first.wait().failed, json.loads(first.answer)) == (True, ERROR)
    connection, identifier, _ = taken(api)
    trailers = f"Lambda-Runtime-Function-Error-Type: ValueError\r\nLambda-Runtime-Function-Error-Body: {ENCODED}\r\n"
    declared = {"Trailer": "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body"}
    assert streamed(connection, identifier, [START + SEPARATOR + b"a"], HEADERS | declared, trailers) == 202
    assert (second.wait().answer, second.error) == (b"a", ERROR)
    assert api.violations == []


@each_case(
    "headers, chunks, trailers, violation",
    [
        ({**HEADERS, "Content-Type": "text/plain"}, [], "", "Content-Type is"),
        ({"Content-Type": STREAMED}, [], "", "Response-Mode is None"),
        (HEADERS, [START + b"a"], "", "no status and headers"),
        (HEADERS, [b" " * (LARGEST_PRELUDE_BYTES + 1)], "", "within the first 16 KB"),
        (
            HEADERS,
            [START + SEPARATOR],
            f"Lambda-Runtime-Function-Error-Body: {ENCODED}\r\n",
            "trailers that were not declared",
        ),
    ],
)
def test_what_the_service_would_not_understand_is_noted(
    headers: dict[str, str], chunks: list[bytes], trailers: str, violation: str
) -> None:
    api = FakeRuntimeApi()
    call = api.call({})
    connection, identifier, _ = taken(api)
    # It closes the connection of what it does not read.
    with suppress(OSError, HTTPException):
        streamed(connection, identifier, chunks, headers, trailers)
    call.wait()
    api.stop()
    assert any(violation in each for each in api.violations), api.violations


def test_an_invocation_is_answered_once_and_only_if_it_exists(api: FakeRuntimeApi) -> None:
    api.call({})
    connection, identifier, _ = taken(api)
    for path, status in ((identifier, 202), (identifier, 400), ("other", 400)):
        connection.request("POST", f"{ROOT}/invocation/{path}/response", b"1")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status
    assert len(api.violations) == 2


def test_a_hang_up_is_seen_by_the_function_and_ends_the_call(api: FakeRuntimeApi) -> None:
    call = api.call({})
    connection, identifier, _ = taken(api)
    connection.putrequest("POST", f"{ROOT}/invocation/{identifier}/response")
    for name, value in {**HEADERS, "Transfer-Encoding": "chunked"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    first = START + SEPARATOR
    connection.send(b"%x\r\n%b\r\n" % (len(first), first))
    assert next(iter(call.pieces())) == first
    call.hang_up()
    assert call.wait().failed
    with pytest.raises(ConnectionResetError):
        connection.getresponse()


def test_a_function_that_waits_when_it_stops_is_disconnected(api: FakeRuntimeApi) -> None:
    connection = HTTPConnection(api.address)
    connection.request("GET", f"{ROOT}/invocation/next")
    api._waiting.put(None)
    with pytest.raises(RemoteDisconnected):
        connection.getresponse()


def test_a_function_that_cannot_be_loaded_fails_all_its_invocations(api: FakeRuntimeApi) -> None:
    call = api.call({})
    connection = HTTPConnection(api.address)
    connection.request("POST", f"{ROOT}/init/error", json.dumps(ERROR))
    connection.getresponse().read()
    assert (call.wait().failed, api.init_error) == (True, ERROR)
