"""Sends answers whose body is made piece by piece, as server-sent events.

A thread makes the pieces, and the event loop sends them. Few pieces wait in between, so the work is as slow as the
client reads. It ends when the client disconnects.
Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial

from anyio import (
    BrokenResourceError,
    CancelScope,
    CapacityLimiter,
    EndOfStream,
    create_memory_object_stream,
    create_task_group,
    from_thread,
    move_on_after,
    to_thread,
)
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from tribal.edges.http.asgi.messages import REQUEST_LOG, SLOT, Receive, Scope, Send, start_message
from tribal.edges.http.audit import DISCONNECTED, RequestLog
from tribal.edges.http.messages import Events, Response
from tribal.edges.mcp.waiting_threads import WaitingThreads
from tribal.errors import ClientDisconnected, ServerBusy, TribalError
from tribal.ports.stopping import StopToken

QUIET_SECONDS = 15.0
"""After this time without a piece, one that clients ignore shows them and proxies that the connection is in use."""
ENDING_SECONDS = 20.0
"""How long answers may go on once the server is asked to stop: 10 s less than other requests, to say that they end."""
QUEUED_PIECES = 16
"""By judgement: a piece is a few words of text."""
_LOG = logging.getLogger(__name__)


class EventStreams:
    """The answers with events of one server.

    Args:
        threads: the threads that make the pieces; an answer holds one of them until its work ends.
    """

    def __init__(self, threads: WaitingThreads) -> None:
        self.threads = threads
        self._running: set[StopToken] = set()
        self._ending = False

    async def send(self, response: Response, scope: Scope, receive: Receive, send: Send) -> None:
        """Send an answer with events to its end; headers are sent at once.

        Raises:
            TooManyRequests: before anything is sent, when no thread may be used, or the response is not admitted.
        """
        assert response.events is not None
        with (
            response.admission(),
            self.threads.slot(scope[SLOT]) as limiter,
            self._registered(response.stop_token()) as stop,
        ):
            await send(start_message(response))
            # Middleware that compresses sends the headers with the first part of the body.
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            stream = _Stream(response.events, stop, scope[REQUEST_LOG], response.quiet_piece)
            if await stream.run(limiter, receive, send):
                await send({"type": "http.response.body", "body": b""})

    def end_soon(self) -> None:
        """Ask all work to end after `ENDING_SECONDS`, because the server stops; only the first call counts."""
        if not self._ending:
            self._ending = True
            asyncio.get_running_loop().call_later(ENDING_SECONDS, self._end)

    def _end(self) -> None:
        for stop in self._running:
            stop.request(_stopping())

    @contextmanager
    def _registered(self, stop: StopToken) -> Iterator[StopToken]:
        self._running.add(stop)
        try:
            yield stop
        finally:
            self._running.discard(stop)


def _stopping() -> ServerBusy:
    return ServerBusy("the server is stopping; try again in a moment")


class _Stream:
    """One answer."""

    def __init__(self, events: Events, stop: StopToken, seen: RequestLog, quiet: bytes) -> None:
        self._events = events
        self._stop = stop
        self._seen = seen
        self._quiet = quiet
        self._is_whole = True

    async def run(self, limiter: CapacityLimiter, receive: Receive, send: Send) -> bool:
        """Send all pieces and wait for the end of the work; returns whether the client got everything there is."""
        outgoing, incoming = create_memory_object_stream[bytes](QUEUED_PIECES)
        async with create_task_group() as working:
            working.start_soon(self._work, outgoing, limiter)
            async with incoming, create_task_group() as sending:
                sending.start_soon(self._watch, receive, sending.cancel_scope)
                try:
                    await _pass_on(incoming, send, self._quiet)
                except asyncio.CancelledError:
                    self._stop.request(_stopping())
                    self._seen.ended_as = self._seen.ended_as or ServerBusy.http_status
                    raise
                sending.cancel_scope.cancel()
        return self._is_whole

    async def _watch(self, receive: Receive, sending: CancelScope) -> None:
        """Stop everything when the client disconnects."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self._is_whole = False
        self._seen.ended_as = DISCONNECTED
        self._stop.request(ClientDisconnected("the client disconnected"))
        sending.cancel()

    async def _work(self, outgoing: MemoryObjectSendStream[bytes], limiter: CapacityLimiter) -> None:
        async with outgoing:
            try:
                await to_thread.run_sync(partial(self._make_pieces, outgoing), limiter=limiter)
            except Exception as error:  # noqa: BLE001 - the outermost edge: with the headers sent, only the log can name it
                _LOG.debug("%s failed", self._seen.route, exc_info=True)
                self._fail(error)

    def _make_pieces(self, outgoing: MemoryObjectSendStream[bytes]) -> None:
        # After a disconnect no one receives pieces: close the generator, so that it cleans up.
        with suppress(BrokenResourceError), closing(self._events(self._stop)) as pieces:
            for piece in pieces:
                from_thread.run(outgoing.send, piece)

    def _fail(self, error: Exception) -> None:
        if self._seen.ended_as == DISCONNECTED:
            return
        # Work that was asked to stop has ended as it should.
        self._is_whole = error is self._stop.cause
        self._seen.ended_as = error.http_status if isinstance(error, TribalError) else TribalError.http_status
        self._seen.error = type(error).__name__


async def _pass_on(incoming: MemoryObjectReceiveStream[bytes], send: Send, quiet: bytes) -> None:
    """Send each piece as it comes, and what clients ignore whenever none comes for long."""
    while True:
        piece = quiet
        with move_on_after(QUIET_SECONDS):
            try:
                piece = await incoming.receive()
            except EndOfStream:
                return
        await send({"type": "http.response.body", "body": piece, "more_body": True})
