"""uvicorn's HTTP protocol with two more time limits: for headers, and for clients that do not read.

An idle connection is closed only if it has no unread request.
"""

from __future__ import annotations

import asyncio
import select
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from tribal.edges.http.asgi.messages import STREAMS
from tribal.edges.http.asgi.serving import HEADER_SECONDS, STALLED_SECONDS

if TYPE_CHECKING:
    from tribal.edges.http.asgi.event_streams import EventStreams

_AGAIN_SECONDS = 0.1
"""Delay before checking again a connection that was about to be closed."""


class TimedProtocol(H11Protocol):
    """Closes a connection whose request does not arrive, or whose client does not read the answer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._is_last = False
        """Whether to close the connection after the next response, because the server is stopping."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._arriving = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._end(self._arriving)
        self._end(self._stalled)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass on data; the start of another request starts its timer."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._arriving is None:
            self._arriving = self.loop.call_later(HEADER_SECONDS, self._give_up)
        super().data_received(data)

    def handle_events(self) -> None:
        """Stop the timer once the headers have arrived."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._end(self._arriving)
            self._arriving = None

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, unless a client that does not read would keep it from being flushed."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self._close_idle()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless the server is stopping."""
        super().on_response_complete()
        if self._is_last and (self.cycle is None or self.cycle.response_complete):
            self._close_idle()

    def shutdown(self) -> None:
        """Close the connection as the server stops: after the response, if a request has arrived."""
        self._is_last = True
        streams: EventStreams | None = self.app_state.get(STREAMS)
        if streams is not None:
            streams.end_soon()
        if self.cycle is None or self.cycle.response_complete:
            self._close_idle()
        else:
            super().shutdown()

    def _give_up(self) -> None:
        """Close a connection on which no complete request has arrived in time."""
        self._arriving = None
        part_of_request, _ = self.conn.trailing_data
        if part_of_request:
            self.transport.abort()
        else:
            self._close_idle()

    def _close_idle(self) -> None:
        """Close the connection, unless a request has arrived; then answer it."""
        if self.transport.is_closing():
            return
        if self._has_unread():
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(_AGAIN_SECONDS, self.timeout_keep_alive_handler)
            return
        connection = self.transport.get_extra_info("socket")
        with suppress(OSError):
            # Abort: a normal close waits for the loop's next iteration, in which a request may arrive.
            connection.shutdown(socket.SHUT_WR)
        self.transport.close()

    def _has_unread(self) -> bool:
        arrived = select.poll()
        arrived.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(arrived.poll(0))

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read."""
        self._end(self._stalled)
        self._stalled = None
        super().resume_writing()

    @staticmethod
    def _end(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
