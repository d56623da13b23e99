"""uvicorn's HTTP protocol with the time limits that it lacks: for headers, and for clients that read nothing."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from tribal.edges.http.asgi.serving import HEADER_SECONDS, STALLED_SECONDS


class TimedProtocol(H11Protocol):
    """Ends a connection whose request does not arrive, or whose answer is not taken."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._arriving = self.loop.call_later(HEADER_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._end(self._arriving)
        self._end(self._stalled)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass on what arrived; what begins another request has as long as the first had."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._arriving is None:
            self._arriving = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        super().data_received(data)

    def handle_events(self) -> None:
        """Stop waiting once the headers of a request are there."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._end(self._arriving)
            self._arriving = None

    def timeout_keep_alive_handler(self) -> None:
        """End an idle connection; one whose client takes nothing would never be flushed."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def pause_writing(self) -> None:
        """Wait for the client to take something of the answer."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has taken it."""
        self._end(self._stalled)
        self._stalled = None
        super().resume_writing()

    @staticmethod
    def _end(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
