"""Takes one invocation after the other, and sends answers in pieces as they are made."""

from __future__ import annotations

import json
import logging
import select
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from functions.chat.runtime_api import Invocation, ResponseStream, RuntimeApi
from functions.contexts import stop_token
from tribal.edges.http.messages import Response
from tribal.errors import ClientDisconnected
from tribal.ports.stopping import StopToken
from tribal.settings import export_variable, read_environment

QUIET_SECONDS = 15.0
"""After this time without a piece, a comment shows that the connection is in use, as `tribal serve` does."""
_TRACE_VARIABLE = "_X_AMZN_TRACE_ID"
"""Where the tracer looks for the trace of an invocation."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InvocationContext:
    """The context of an invocation, with what our functions and Powertools read of Lambda's own."""

    invocation: Invocation
    function_name: str
    memory_limit_in_mb: str

    @property
    def aws_request_id(self) -> str:
        """Id of the invocation."""
        return self.invocation.request_id

    @property
    def invoked_function_arn(self) -> str:
        """ARN of the function."""
        return self.invocation.function_arn

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda ends the invocation."""
        return self.invocation.remaining_ms()


Handler = Callable[[dict[str, Any], InvocationContext], "Response | dict[str, Any]"]
"""Answers an event: with a response, which is sent in pieces, or with JSON, which is sent as it is."""


def serve(api: RuntimeApi, handle: Handler, quiet_seconds: float = QUIET_SECONDS) -> None:
    """Handle invocations until the API is gone.

    Args:
        api: of this instance.
        handle: the handler.
        quiet_seconds: after which an answer without a piece gets a comment.

    Raises:
        OSError, http.client.HTTPException: when the API cannot be reached.
    """
    while True:
        invocation = api.next()
        if invocation.trace_id is not None:
            export_variable(_TRACE_VARIABLE, invocation.trace_id)
        try:
            context = _context_of(invocation)
            answer = handle(json.loads(invocation.event), context)
        except Exception as error:  # noqa: BLE001 - the outermost edge: Lambda's own client does the same
            _LOG.error("the invocation failed", exc_info=True)
            api.fail(invocation, error)
            continue
        if isinstance(answer, Response):
            _send(api, invocation, answer, quiet_seconds, context)
        else:
            api.answer(invocation, answer)


def _context_of(invocation: Invocation) -> InvocationContext:
    values = read_environment()
    return InvocationContext(
        invocation,
        values.get("AWS_LAMBDA_FUNCTION_NAME", ""),
        values.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "0"),
    )


def _send(
    api: RuntimeApi, invocation: Invocation, response: Response, quiet_seconds: float, context: InvocationContext
) -> None:
    stop = stop_token(context, response.seconds)
    headers = {"Content-Type": response.content_type, **response.headers}
    try:
        with closing(api.stream(invocation, response.status, headers)) as stream:
            with _watched(stream, stop, quiet_seconds, response.quiet_piece):
                error = _send_pieces(stream, response, stop)
            stream.end(error)
    except (OSError, HTTPException):
        # The caller has disconnected, or Lambda has ended the answer. The next invocation is not affected.
        _LOG.warning("the answer was cut off", exc_info=True)


def _send_pieces(stream: ResponseStream, response: Response, stop: StopToken) -> Exception | None:
    """Send all pieces; returns the error that ended them early."""
    with closing(_pieces(response, stop)) as pieces:
        while True:
            try:
                piece = next(pieces, None)
            except Exception as error:  # noqa: BLE001 - the outermost edge: with the headers sent, only trailers can name it
                _LOG.error("the answer failed", exc_info=True)
                return error
            if piece is None:
                return None
            if isinstance(stop.cause, ClientDisconnected):
                raise ConnectionAbortedError(str(stop.cause))
            stream.send(piece)


def _pieces(response: Response, stop: StopToken) -> Generator[bytes, None, None]:
    if response.events is None:
        yield response.body
    else:
        yield from response.events(stop)


@contextmanager
def _watched(stream: ResponseStream, stop: StopToken, quiet_seconds: float, quiet: bytes) -> Iterator[None]:
    """Ask the work to stop as soon as the connection is closed, and send `quiet` whenever no piece comes for long."""
    ended, ending = socket.socketpair()
    watching = threading.Thread(target=_watch, args=(stream, ended, stop, quiet_seconds, quiet), daemon=True)
    watching.start()
    try:
        yield
    finally:
        ending.close()
        watching.join()
        ended.close()


def _watch(stream: ResponseStream, ended: socket.socket, stop: StopToken, quiet_seconds: float, quiet: bytes) -> None:
    while True:
        quiet_until = stream.sent_at + quiet_seconds
        ready, _, _ = select.select([ended, stream.socket], [], [], max(0.0, quiet_until - time.monotonic()))
        if ended in ready:
            return
        try:
            if ready:
                raise ConnectionAbortedError("the runtime API has closed the connection")
            if time.monotonic() >= stream.sent_at + quiet_seconds:
                stream.send(quiet)
        except OSError:
            stop.request(ClientDisconnected("the client disconnected"))
            return
