"""A vendor of models on a real port, whatever its protocol."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from tests.fakes.http_server import HttpServer, Request, Response, Stream
from tests.fakes.model_servers.minds import Mind, follows_the_schema
from tests.fakes.model_servers.script import Failure, Script

EVENT_STREAM = {"content-type": "text/event-stream", "cache-control": "no-cache"}
"""Headers of a stream."""
_PIECE_CHARS = 16
_LOOK_SECONDS = 0.01


class Billed(Protocol):
    """A call that cost something."""

    @property
    def nanodollars(self) -> int:
        """What is billed."""
        ...


CallT = TypeVar("CallT", bound=Billed)


@dataclass(frozen=True)
class Departure:
    """A client that went away in the middle of a stream."""

    call: int
    """Number of the call, which is its place in `calls`."""
    sent: int
    """Events that were sent."""
    events: int
    """Events that the stream had."""


@dataclass
class ModelServer(Generic[CallT]):
    """Answers by its `mind`, fails by its `script`, and keeps a ledger of `calls`.

    Args:
        latency_seconds: until an answer starts. pace_seconds: between two events of a stream.
        gathered_calls: no answer starts before so many calls were in progress at once.
    """

    mind: Mind = follows_the_schema
    script: Script = field(default_factory=Script)
    latency_seconds: float = 0.0
    pace_seconds: float = 0.0
    ignores_limits: bool = False
    """Whether answers may have more tokens than were asked for."""
    gathered_calls: int = 0
    keys: set[str] = field(default_factory=set)
    calls: list[CallT] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    """What neither the vendor's documents nor the SDK's types know; the fixture fails the test for it."""
    departures: list[Departure] = field(default_factory=list)
    """Clients that went away before a stream ended."""
    busiest: int = 0
    """The most calls that were in progress at once."""
    under_way: int = 0
    """Calls whose answer has not ended yet, whether or not someone still waits for it."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._server = HttpServer(self._handle)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def nanodollars(self) -> int:
        """All that was billed."""
        return sum(call.nanodollars for call in self.calls)

    def fail(self, *next_calls: Failure | None) -> None:
        """Let the next calls end so; `None` is an answer as usual."""
        self.script.next.extend(next_calls)

    def stop(self) -> None:
        """Close the port."""
        self._server.stop()

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        raise NotImplementedError

    async def wait(self) -> None:
        """Wait until an answer may start."""
        await asyncio.sleep(self.latency_seconds)
        while self.busiest < self.gathered_calls:
            await asyncio.sleep(_LOOK_SECONDS)

    async def _handle(self, request: Request) -> Response:
        self.under_way += 1
        self.busiest = max(self.busiest, self.under_way)
        response = None
        try:
            response = await self.answer(request)
            return response
        finally:
            # A stream is in progress until it has ended.
            if response is None or response.stream is None:
                self.under_way -= 1

    def streamed(self, chunks: Sequence[bytes], headers: Mapping[str, str], failure: Failure | None) -> Response:
        """A stream for the call that was recorded last; of server-sent events unless `headers` say otherwise."""
        call = len(self.calls) - 1

        def ended(sent: int, client_is_gone: bool) -> None:
            self.under_way -= 1
            if client_is_gone:
                self.departures.append(Departure(call, sent, len(chunks)))

        delivery = "whole" if failure is None else failure.delivery
        if failure is not None and failure.change_chunks:
            chunks = failure.change_chunks(chunks)
        stream = Stream(chunks, self.pace_seconds, ended)
        return Response(200, b"", {**EVENT_STREAM, **headers}, delivery, stream)


def pieces_of(text: str) -> list[str]:
    """A text in the pieces that a stream sends."""
    return [text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS)]
