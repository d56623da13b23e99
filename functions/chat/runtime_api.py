"""A client of Lambda's runtime API that can stream, which the runtime's own client cannot.

Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, and for streaming
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html#runtimes-custom-response-streaming
"""

from __future__ import annotations

import base64
import json
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from socket import socket
from typing import Any

VERSION = "/2018-06-01/runtime"
STREAMED = "application/vnd.awslambda.http-integration-response"
"""Of an answer to API Gateway: status and headers as JSON, `SEPARATOR`, and the body."""
SEPARATOR = bytes(8)
ERROR_TYPE, ERROR_BODY = "Lambda-Runtime-Function-Error-Type", "Lambda-Runtime-Function-Error-Body"
_FRAMES_SHOWN = 20
_LAST_CHUNK = b"0\r\n"


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of the function."""

    request_id: str
    function_arn: str
    deadline_ms: int
    """When Lambda ends it, in milliseconds since 1970."""
    trace_id: str | None
    event: bytes

    def remaining_ms(self) -> int:
        """Milliseconds until then."""
        return max(0, self.deadline_ms - int(time.time() * 1000))


class RuntimeApi:
    """The runtime API of one function instance, which handles one invocation at a time.

    Args:
        address: host and port, from the variable `AWS_LAMBDA_RUNTIME_API`.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        # Lambda freezes the instance between two invocations, so waiting for the next one has no limit.
        self._connection = HTTPConnection(address)

    def next(self) -> Invocation:
        """Wait for the next invocation.

        Raises:
            OSError, http.client.HTTPException: when the API cannot be reached.
        """
        self._connection.request("GET", f"{VERSION}/invocation/next")
        answer = self._connection.getresponse()
        event, headers = answer.read(), answer.headers
        if answer.status != 200:
            raise ConnectionError(f"the runtime API answered {answer.status}")
        return Invocation(
            request_id=headers["Lambda-Runtime-Aws-Request-Id"],
            function_arn=headers["Lambda-Runtime-Invoked-Function-Arn"],
            deadline_ms=int(headers["Lambda-Runtime-Deadline-Ms"]),
            trace_id=headers["Lambda-Runtime-Trace-Id"],
            event=event,
        )

    def answer(self, invocation: Invocation, content: Any) -> None:
        """Send an answer in one piece, as JSON."""
        self._post(f"/invocation/{invocation.request_id}/response", json.dumps(content).encode(), {})

    def stream(self, invocation: Invocation, status: int, headers: Mapping[str, str]) -> ResponseStream:
        """Begin an answer to API Gateway that is sent in pieces."""
        return ResponseStream(self._address, invocation.request_id, {"statusCode": status, "headers": dict(headers)})

    def fail(self, invocation: Invocation, error: BaseException) -> None:
        """Report that an invocation failed before it had an answer."""
        self._fail(f"/invocation/{invocation.request_id}/error", error)

    def fail_to_start(self, error: BaseException) -> None:
        """Report that the function cannot be loaded; the process has to end then."""
        self._fail("/init/error", error)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _fail(self, path: str, error: BaseException) -> None:
        self._post(path, json.dumps(described(error)).encode(), {ERROR_TYPE: type(error).__name__})

    def _post(self, path: str, body: bytes, headers: Mapping[str, str]) -> None:
        self._connection.request("POST", VERSION + path, body, {"Content-Type": "application/json", **headers})
        # An answer that is too large is refused; Lambda then reports that to the caller by itself.
        self._connection.getresponse().read()


class ResponseStream:
    """An answer in progress. Every piece is sent at once; threads take turns.

    Raises, from every method: `OSError` when the connection is closed.
    """

    def __init__(self, address: str, request_id: str, start: Mapping[str, Any]) -> None:
        self._connection = HTTPConnection(address)
        self._lock = threading.Lock()
        self._connection.putrequest("POST", f"{VERSION}/invocation/{request_id}/response")
        for name, value in {
            "Content-Type": STREAMED,
            "Lambda-Runtime-Function-Response-Mode": "streaming",
            "Transfer-Encoding": "chunked",
            "Trailer": f"{ERROR_TYPE}, {ERROR_BODY}",
        }.items():
            self._connection.putheader(name, value)
        self._connection.endheaders()
        self.sent_at = time.monotonic()
        """When the last piece was sent."""
        self.send(json.dumps(start).encode() + SEPARATOR)

    @property
    def socket(self) -> socket:
        """The connection; until the answer has ended, it is readable only when the other side has closed it."""
        found: socket = self._connection.sock
        return found

    def send(self, piece: bytes) -> None:
        """Send a piece of the body."""
        if piece:
            with self._lock:
                self._connection.send(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.sent_at = time.monotonic()

    def end(self, error: BaseException | None = None) -> None:
        """End the answer, with an error if it is not whole."""
        trailers = {} if error is None else {ERROR_TYPE: type(error).__name__, ERROR_BODY: _encoded(error)}
        lines = [f"{name}: {value}\r\n" for name, value in trailers.items()]
        with self._lock:
            self._connection.send(_LAST_CHUNK + "".join(lines).encode("ascii") + b"\r\n")
        self._connection.getresponse().read()

    def close(self) -> None:
        """Close the connection; what is not ended is cut off."""
        self._connection.close()


def described(error: BaseException) -> dict[str, Any]:
    """An error in Lambda's format."""
    frames = traceback.format_tb(error.__traceback__)[-_FRAMES_SHOWN:]
    return {"errorMessage": str(error), "errorType": type(error).__name__, "stackTrace": frames}


def _encoded(error: BaseException) -> str:
    return base64.b64encode(json.dumps(described(error)).encode()).decode("ascii")
