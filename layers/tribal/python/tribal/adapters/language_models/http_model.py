"""A language model over HTTP: one attempt a call, within its deadline, through a vendor's SDK."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import httpx2

from tribal.adapters.language_models.answers import OtherServiceError, StreamReader, no_api
from tribal.adapters.language_models.connection import Credentials
from tribal.adapters.language_models.events import ReadEvents, server_sent_events
from tribal.adapters.language_models.limits import (
    ResponseTooLargeError,
    cut_answer,
    cut_text,
    most_text_bytes,
    read_body,
    read_chunks,
    repeats_itself,
    truncated,
)
from tribal.adapters.language_models.loop import run_on_loop, stream_on_loop
from tribal.adapters.language_models.refusals import Advice, Refusal, failure_of
from tribal.errors import TribalError
from tribal.ports import FailureKind, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal.ports.models.calls import FIRST_TOKEN_FACTOR
from tribal_contracts import ModelUsage

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_REFUSED_LOGIN = 401
_NOT_READY = 503
_LOADING = re.compile(rb"loading model|model is loading", re.IGNORECASE)
"""How llama.cpp and others say that a model will be ready soon."""
_LOADING_SECONDS = 1.0
_REMEMBERED_CHUNKS = 1_000
"""Of a stream: an answer in one piece has fewer. By judgement."""
_RESTART_SECONDS = 30.0
_CLOCK_SECONDS = 0.05
_REPEATS = "the model repeats a phrase without end"
_OF_PAGES = (200, 404, 405)
_PAGE = "a web page answers there, not a model's API; check model.base_url, which often ends in /v1, and proxies"


class Dialect(Protocol):
    """How one vendor writes requests, answers and errors."""

    @property
    def path(self) -> str:
        """The path of requests, after the base URL."""
        ...

    @property
    def streams(self) -> bool:
        """Whether text arrives as it is generated; if not, a stream is one piece."""
        ...

    def body(self, request: ModelRequest, facts: ModelFacts, *, stream: bool) -> dict[str, Any]:
        """The body of a request."""
        ...

    def read(self, body: bytes, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The outcome of a call, from the body of a response with status 200."""
        ...

    def reader(self, request: ModelRequest) -> StreamReader:
        """What reads the events of one stream."""
        ...

    def refusal(self, response: httpx2.Response) -> Refusal:
        """What a response other than 2xx means."""
        ...

    def adapted(self, response: httpx2.Response) -> Self | None:
        """The way of asking that a response asks for instead; `None` if it asks for none."""
        ...


@dataclass(frozen=True, slots=True)
class Sdk:
    """A client of a vendor's SDK, without retries and telemetry, on `connection.http_client`; and its errors."""

    client: Any
    connection_error: type[Exception]
    status_error: type[Exception]
    read_events: ReadEvents = server_sent_events
    """Reads the streams that arrive at the addresses that the client chooses."""


@dataclass
class _Call:
    """How far a call has come."""

    dialect: Dialect
    """As it was when the call began, and as the server has asked for since."""
    deadline: float
    idle_seconds: float | None
    """How long to wait between two events; `None` for as long as the deadline allows."""
    started: float = field(default_factory=time.monotonic)
    sent: bool = False
    events: int = 0
    text: str = ""
    timeout: asyncio.Timeout | None = None

    @property
    def time_ms(self) -> int:
        return round((time.monotonic() - self.started) * 1000)

    @property
    def patience_seconds(self) -> float:
        """How long to wait for the next event; servers may send one before they read the prompt."""
        if self.idle_seconds is None:
            return math.inf
        return self.idle_seconds * (1 if self.events > 1 else FIRST_TOKEN_FACTOR)

    def extend_timeout(self) -> None:
        """Give the server its time again: it has sent something."""
        if self.timeout is not None and not self.timeout.expired():
            self.timeout.reschedule(min(self.deadline, time.monotonic() + self.patience_seconds))

    def count(self, event: Mapping[str, Any]) -> None:
        """Count an event of a stream; even an empty one shows that the server still answers."""
        self.events += bool(event)
        self.extend_timeout()

    def timeout_message(self, request: ModelRequest) -> str:
        """Say what the server failed to do in time."""
        if time.monotonic() < self.deadline - _CLOCK_SECONDS:
            what = "sent nothing more" if self.text else "sent no word of an answer"
            return f"{what} for {self.patience_seconds:g} s (model.idle_timeout_seconds)"
        if self.text:
            return f"was still writing after {request.deadline_seconds:g} s (model.call_timeout_seconds)"
        return f"did not answer within {request.deadline_seconds:g} s"

    def failure(self, kind: FailureKind, message: str) -> ModelFailure:
        """A failure without known usage."""
        usage = ModelUsage(calls=int(self.sent), time_ms=self.time_ms)
        return ModelFailure(kind, message, usage, unseen=self.sent)


class HttpModel:
    """A `LanguageModel` over a client of an SDK; all calls of a process share an event loop.

    Args:
        sdk: the client that sends. credentials: the same as that client's.
        advice: what a person can do at the provider. is_local: whether the server is on this machine.
    """

    def __init__(
        self,
        sdk: Sdk,
        facts: ModelFacts,
        dialect: Dialect,
        credentials: Credentials,
        advice: Advice,
        *,
        is_local: bool = False,
    ) -> None:
        self._sdk = sdk
        self._facts = facts
        self._dialect = dialect
        self._credentials = credentials
        self._advice = advice
        self._is_local = is_local
        self._has_answered = False
        self._refused_since: float | None = None

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self._advice.id}/{self._facts.name}"

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask once, and wait for the answer or the deadline; with `idle_seconds`, the answer is streamed."""
        put = request.on_text if request.idle_seconds is not None and self._dialect.streams else None
        return cut_answer(run_on_loop(self._within_deadline(request, put)), request)[1]

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Ask once, yield the text as it arrives, and return the outcome; closing it ends the connection."""
        if self._dialect.streams:
            started = time.monotonic()
            ended = yield from stream_on_loop(lambda put: self._within_deadline(request, put), request.stopped)
            if ended is not None:
                return ended
            usage = ModelUsage(calls=1, time_ms=round((time.monotonic() - started) * 1000))
            return ModelFailure("interrupted", "the answer was stopped", usage, unseen=True)
        text, outcome = cut_answer(run_on_loop(self._within_deadline(request)), request)
        if text:
            yield text
        return outcome

    async def _within_deadline(self, request: ModelRequest, put: Callable[[str], None] | None = None) -> ModelOutcome:
        started = time.monotonic()
        idle_seconds = request.idle_seconds if put is not None else None
        call = _Call(self._dialect, started + request.deadline_seconds, idle_seconds, started)
        try:
            async with asyncio.timeout_at(min(call.deadline, started + call.patience_seconds)) as call.timeout:
                if obstacle := await self._obstacle(request):
                    return obstacle
                call.dialect = self._dialect
                outcome = await (self._answer(request, call) if put is None else self._streamed(request, call, put))
                outcome = self._checked(outcome, request)
        except TimeoutError:
            return replace(
                call.failure("timed_out", f"{self._advice.provider} {call.timeout_message(request)}"), text=call.text
            )
        except ResponseTooLargeError:
            return truncated(ModelUsage(calls=1, time_ms=call.time_ms), call.text, unseen=True)
        except OtherServiceError as exc:
            failure = no_api(str(exc), call.time_ms)
            return failure if self._has_answered else replace(failure, kind="stopped")
        except httpx2.DecodingError:
            return no_api("it cannot be decompressed", call.time_ms)
        except (self._sdk.connection_error, httpx2.TransportError) as exc:
            cause = exc.__cause__ if isinstance(exc, self._sdk.connection_error) else exc
            call.sent = call.sent and not isinstance(cause, _NOT_SENT)
            broken = "the connection broke" if call.sent else f"cannot connect; {self._advice.connection}"
            is_absent = self._is_local and isinstance(cause, httpx2.ConnectError) and self._is_absent(started)
            return call.failure("stopped" if is_absent else "unavailable", f"{self._advice.provider}: {broken}")
        except TribalError as exc:
            kind: FailureKind = "unavailable" if exc.retryable else "stopped"
            return call.failure(kind, f"{self._advice.provider}: {exc.message}")
        if getattr(outcome, "kind", "") not in ("unavailable", "stopped"):
            self._has_answered, self._refused_since = True, None
        return outcome

    def _is_absent(self, now: float) -> bool:
        """Whether no one is there: no one has answered yet on this machine, or not for longer than a restart takes."""
        self._refused_since = self._refused_since or now
        return not self._has_answered or now - self._refused_since > _RESTART_SECONDS

    async def _obstacle(self, _request: ModelRequest) -> ModelOutcome | None:
        """The outcome of a request that is not sent; `None` if it is."""
        return None

    def _checked(self, outcome: ModelOutcome, _request: ModelRequest) -> ModelOutcome:
        """The outcome, or the failure that it is for a server of this kind."""
        return outcome

    async def _answer(self, request: ModelRequest, call: _Call) -> ModelOutcome:
        response = await self._sent(request, call, stream=False)
        if page := self._page(response, call):
            await response.aclose()
            return page
        if response.is_success:
            return self._dialect.read(await read_body(response), request, call.time_ms)
        return self._refused(response, request, call)

    async def _streamed(self, request: ModelRequest, call: _Call, put: Callable[[str], None]) -> ModelOutcome:
        response = await self._sent(request, call, stream=True)
        if page := self._page(response, call):
            await response.aclose()
            return page
        if not response.is_success:
            return self._refused(response, request, call)
        reader, left = call.dialect.reader(request), most_text_bytes(request)
        seen: list[bytes] = []
        try:
            async for event in self._sdk.read_events(_remembered(read_chunks(response, request), seen)):
                call.count(event)
                if text := reader.take(event):
                    fits = cut_text(text, left)
                    call.text += fits
                    put(fits)
                    left -= len(fits.encode(errors="replace"))
                    if fits != text:
                        raise ResponseTooLargeError
                    if repeats_itself(call.text):
                        return replace(call.failure("malformed", _REPEATS), text=call.text)
        except ValueError:
            return no_api("it did not send complete JSON", call.time_ms)
        finally:
            await response.aclose()
        if not call.events and (body := b"".join(seen)):
            # A server that does not stream sends the whole answer, and some send errors so.
            outcome = call.dialect.read(body, request, call.time_ms)
            put(cut_answer(outcome, request)[0])
            return outcome
        return reader.end(call.time_ms)

    def _page(self, response: httpx2.Response, call: _Call) -> ModelFailure | None:
        """The failure for a web page at an address that never answered otherwise."""
        is_page = response.headers.get("content-type", "").startswith("text/html")
        if self._has_answered or not is_page or response.status_code not in _OF_PAGES:
            return None
        return call.failure("stopped", f"{self._advice.provider}: {_PAGE}")

    def _refused(self, response: httpx2.Response, request: ModelRequest, call: _Call) -> ModelFailure:
        refusal, status = self._dialect.refusal(response), response.status_code
        return failure_of(refusal, response.headers, status, request, self._advice, call.time_ms)

    async def _sent(self, request: ModelRequest, call: _Call, *, stream: bool) -> httpx2.Response:
        used = self._credentials.current
        response = await self._send(request, call, stream=stream)
        if response.status_code == _REFUSED_LOGIN and await self._credentials.renew(used):
            response = await self._send(request, call, stream=stream)
        while self._is_local and response.status_code == _NOT_READY and _LOADING.search(response.content):
            call.extend_timeout()
            await asyncio.sleep(_LOADING_SECONDS)
            response = await self._send(request, call, stream=stream)
        asked = [call.dialect]
        while (other := call.dialect.adapted(response)) is not None and other not in asked:
            asked.append(other)
            self._dialect = call.dialect = other
            response = await self._send(request, call, stream=stream)
        return response

    async def _send(self, request: ModelRequest, call: _Call, *, stream: bool) -> httpx2.Response:
        """The raw response; the SDK's parser is skipped, because it accepts anything."""
        await self._credentials.prepare()
        call.sent = True
        body = call.dialect.body(request, self._facts, stream=stream)
        try:
            # The SDK would read a whole response, however large it is.
            response: httpx2.Response = await self._sdk.client.post(
                call.dialect.path, cast_to=httpx2.Response, body=body, stream=True
            )
        except self._sdk.status_error as exc:
            response = exc.response  # type: ignore[attr-defined]  # both SDKs' errors have it
        return response


async def _remembered(chunks: AsyncIterator[bytes], seen: list[bytes]) -> AsyncIterator[bytes]:
    """Pass on the bytes of a stream, and keep its beginning."""
    async for chunk in chunks:
        if len(seen) < _REMEMBERED_CHUNKS:
            seen.append(chunk)
        yield chunk
