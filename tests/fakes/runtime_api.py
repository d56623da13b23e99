"""Lambda's runtime API: hands over invocations, and takes whole and streamed answers as the service does.

Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, and for streaming
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html#runtimes-custom-response-streaming
"""

from __future__ import annotations

import base64
import json
import queue
import socket
import struct
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from tests.serving import serve_aside

STREAMED = "application/vnd.awslambda.http-integration-response"
SEPARATOR = bytes(8)
LARGEST_PRELUDE_BYTES = 16 * 1024
TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0"
_ROOT = "/2018-06-01/runtime/"
_LONGEST_SECONDS = 60.0
_ERROR_TYPE, _ERROR_BODY = "lambda-runtime-function-error-type", "lambda-runtime-function-error-body"


@dataclass(eq=False)
class Call:
    """One invocation, and what came back."""

    event: Any
    deadline_ms: int
    arn: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    answer: bytes = b""
    """Whole, without the start of a streamed one."""
    failed: bool = False
    """Whether the function reported an error in place of an answer."""
    start: dict[str, Any] | None = None
    """Status and headers of a streamed answer."""
    error: dict[str, Any] | None = None
    """The error in the trailers of a streamed answer."""
    ended: threading.Event = field(default_factory=threading.Event)
    _pieces: queue.Queue[bytes | None] = field(default_factory=queue.Queue)
    _begun: threading.Event = field(default_factory=threading.Event)
    _connection: socket.socket | None = None

    def begin(self, connection: socket.socket) -> None:
        """Begin a streamed answer, which comes over this connection."""
        self._connection = connection
        self._begun.set()

    def end(self, answer: bytes, *, failed: bool) -> None:
        """End it with an answer in one piece."""
        self.answer, self.failed = answer, failed
        self._pieces.put(None)
        self.ended.set()

    def pieces(self, seconds: float = _LONGEST_SECONDS) -> Iterator[bytes]:
        """The pieces of a streamed answer as they arrive, the first being status and headers."""
        while (piece := self._pieces.get(timeout=seconds)) is not None:
            yield piece

    def wait(self, seconds: float = _LONGEST_SECONDS) -> Call:
        """The same, ended."""
        assert self.ended.wait(seconds), "the invocation did not end"
        return self

    def hang_up(self) -> None:
        """Reset the connection of its streamed answer, once there is one, as when the caller has disconnected."""
        assert self._begun.wait(_LONGEST_SECONDS), "the function did not begin to answer"
        connection = self._connection
        assert connection is not None
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # Wakes up the thread that reads from it, which closes it.
        connection.shutdown(socket.SHUT_RD)


class FakeRuntimeApi:
    """The runtime API of one instance of a function."""

    def __init__(self, arn: str = "arn:aws:lambda:eu-central-1:123456789012:function:test") -> None:
        self._arn = arn
        self._waiting: queue.Queue[Call | None] = queue.Queue()
        self.calls: dict[str, Call] = {}
        self.init_error: dict[str, Any] | None = None
        """Why the function could not be loaded."""
        self.violations: list[str] = []
        """What the service would have refused, or would not have understood."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.api = self  # type: ignore[attr-defined]
        self.address = f"127.0.0.1:{self._server.server_port}"
        serve_aside(self._server)

    def call(self, event: Any, seconds: float = 900.0) -> Call:
        """Have the function invoked."""
        call = Call(event, int((time.time() + seconds) * 1000), self._arn)
        self.calls[call.id] = call
        self._waiting.put(call)
        return call

    def stop(self) -> None:
        """Close the port; a caller that waits for an invocation sees a closed connection."""
        self._waiting.put(None)
        self._server.shutdown()
        self._server.server_close()

    def fail_to_start(self, error: dict[str, Any]) -> None:
        """Take the report that the function cannot be loaded: all invocations fail."""
        self.init_error = error
        for call in self.calls.values():
            call.end(json.dumps(error).encode(), failed=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _api(self) -> FakeRuntimeApi:
        return cast("FakeRuntimeApi", self.server.api)  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        if self.path != f"{_ROOT}invocation/next":
            self._refuse(404, f"GET {self.path}")
            return
        call = self._api._waiting.get()
        if call is None:
            self.close_connection = True
            return
        headers = {
            "Lambda-Runtime-Aws-Request-Id": call.id,
            "Lambda-Runtime-Deadline-Ms": str(call.deadline_ms),
            "Lambda-Runtime-Invoked-Function-Arn": call.arn,
            "Lambda-Runtime-Trace-Id": TRACE,
        }
        self._answer(200, json.dumps(call.event).encode(), headers)

    def do_POST(self) -> None:
        if self.path == f"{_ROOT}init/error":
            self._api.fail_to_start(json.loads(self._body()))
            self._answer(202, b"{}")
            return
        identifier, _, kind = self.path.removeprefix(f"{_ROOT}invocation/").partition("/")
        call = self._api.calls.get(identifier)
        if call is None or kind not in ("response", "error") or call.ended.is_set():
            self._body()
            self._refuse(400, f"POST {self.path}: no invocation that waits for that")
        elif kind == "response" and self.headers.get("Transfer-Encoding") == "chunked":
            self._take_stream(call)
        else:
            call.end(self._body(), failed=kind == "error")
            self._answer(202, b'{"status": "OK"}')

    def _take_stream(self, call: Call) -> None:
        for name, wanted in (("Lambda-Runtime-Function-Response-Mode", "streaming"), ("Content-Type", STREAMED)):
            if self.headers.get(name) != wanted:
                self._refuse(400, f"{name} is {self.headers.get(name)!r}")
                self.close_connection = True
                call.end(b"", failed=True)
                return
        call.begin(self.connection)
        received, start = b"", None
        try:
            for chunk in self._chunks():
                received += chunk
                if start is None:
                    start = call.start = self._started(received)
                call._pieces.put(chunk)
            trailers = self._trailers()
        except (OSError, ValueError):
            # The connection was closed, or a caller hung up.
            self.close_connection = True
            call.failed = True
            call._pieces.put(None)
            call.ended.set()
            return
        if start is None:
            self._api.violations.append("no status and headers")
        if body := trailers.get(_ERROR_BODY):
            call.error = json.loads(base64.b64decode(body))
            if trailers.get(_ERROR_TYPE) != call.error["errorType"]:
                self._api.violations.append(f"the trailers are {trailers}")
        call.end(received.partition(SEPARATOR)[2], failed=False)
        with suppress(OSError):
            self._answer(202, b'{"status": "OK"}')

    def _started(self, received: bytes) -> dict[str, Any] | None:
        """Status and headers, once they are whole."""
        start, found, _ = received.partition(SEPARATOR)
        if not found:
            if len(received) > LARGEST_PRELUDE_BYTES:
                self._api.violations.append("the separator is not within the first 16 KB")
            return None
        return dict(json.loads(start))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self._line(), 16):
            data = self.rfile.read(size)
            if len(data) < size or self._line() != b"":
                raise ValueError("a chunk was cut off")
            yield data

    def _trailers(self) -> dict[str, str]:
        declared = {name.strip().lower() for name in self.headers.get("Trailer", "").split(",")}
        found: dict[str, str] = {}
        while line := self._line():
            name, _, value = line.decode("ascii").partition(":")
            found[name.lower()] = value.strip()
        if undeclared := found.keys() - declared:
            self._api.violations.append(f"trailers that were not declared: {sorted(undeclared)}")
        return found

    def _line(self) -> bytes:
        line = self.rfile.readline()
        if not line.endswith(b"\r\n"):
            raise ValueError("a line was cut off")
        return line[:-2]

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _refuse(self, status: int, why: str) -> None:
        self._api.violations.append(why)
        self._answer(status, json.dumps({"errorMessage": why, "errorType": "InvalidRequest"}).encode())

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in {**(headers or {}), **own}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
