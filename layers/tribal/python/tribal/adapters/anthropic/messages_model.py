"""A language model behind the Messages API. All calls of a process share an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2
from anthropic import APIConnectionError, APIStatusError

from tribal.adapters.anthropic.answers import AnswerReader
from tribal.adapters.anthropic.refusals import Advice, read_refusal
from tribal.errors import TribalError
from tribal.ports import FailureKind, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicBedrockMantle
    from anthropic.types.output_config_param import OutputConfigParam
    from anthropic.types.text_block_param import TextBlockParam

    from tribal.adapters.anthropic.connection import Credentials


@dataclass(frozen=True, slots=True)
class Wire:
    """How an endpoint differs from Anthropic's own."""

    binds_answers: bool = True
    """Whether it enforces a schema for answers. If not, the prompt asks for the schema."""
    more: Mapping[str, str] = field(default_factory=dict)
    """More members of the body of each request."""

    def body(self, request: ModelRequest, facts: ModelFacts) -> dict[str, Any]:
        """The body of a request. The part that all requests of a run share comes first and is marked for the cache."""
        body = {
            "model": facts.name,
            "max_tokens": request.max_tokens,
            "system": self._system(request),
            "messages": [{"role": "user", "content": request.part}],
            **self.more,
        }
        if output := self._output(request, facts):
            body["output_config"] = output
        if facts.thinking is not None:
            body["thinking"] = {"type": facts.thinking}
        return body

    def _system(self, request: ModelRequest) -> list[TextBlockParam]:
        texts = [request.prefix] if self.binds_answers else [request.prefix, request.schema_in_words]
        blocks: list[TextBlockParam] = [{"type": "text", "text": text} for text in texts]
        # All blocks up to the marked one are cached together.
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
        return blocks

    def _output(self, request: ModelRequest, facts: ModelFacts) -> OutputConfigParam:
        output: OutputConfigParam = {}
        if self.binds_answers:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if facts.effort is not None:
            output["effort"] = facts.effort  # type: ignore[typeddict-item]  # one that the table or a setting names
        return output


_MESSAGES = "/v1/messages"
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_REFUSED_LOGIN = 401


@dataclass
class _Call:
    """How far a call has come."""

    deadline: float
    started: float = field(default_factory=time.monotonic)
    sent: bool = False

    @property
    def time_ms(self) -> int:
        return round((time.monotonic() - self.started) * 1000)

    def failure(self, failure: ModelFailure) -> ModelFailure:
        """A failure without known usage."""
        usage = ModelUsage(calls=int(self.sent), time_ms=self.time_ms)
        return ModelFailure(failure.kind, failure.message, usage, unseen=self.sent)


class MessagesModel:
    """A `LanguageModel` over a client of the SDK; one attempt a call, on the loop that all of them share.

    Args:
        client: without retries and telemetry, on `connection.http_client`. credentials: the same as that client's.
        wire: how the endpoint differs from Anthropic's.
    """

    def __init__(
        self,
        client: AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicBedrockMantle,
        facts: ModelFacts,
        credentials: Credentials,
        advice: Advice,
        wire: Wire = Wire(),
    ) -> None:
        self._client = client
        self._facts = facts
        self._credentials = credentials
        self._advice = advice
        self._wire = wire
        self._reader = AnswerReader(facts, bound=wire.binds_answers)

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self._advice.id}/{self._facts.name}"

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask once, and wait for the answer or the deadline."""
        started = time.monotonic()
        return _run_on_loop(self._ask(request, _Call(started + request.deadline_seconds, started)))

    async def _ask(self, request: ModelRequest, call: _Call) -> ModelOutcome:
        try:
            async with asyncio.timeout_at(call.deadline):
                return await self._answer(request, call)
        except TimeoutError:
            late = f"{self._advice.provider} did not answer within {request.deadline_seconds:g} s"
            return call.failure(ModelFailure("timed_out", late))
        except APIConnectionError as exc:
            call.sent = call.sent and not isinstance(exc.__cause__, _NOT_SENT)
            broken = "the connection broke" if call.sent else "cannot connect; check network and model.base_url"
            return call.failure(ModelFailure("unavailable", f"{self._advice.provider}: {broken}"))
        except TribalError as exc:
            kind: FailureKind = "unavailable" if exc.retryable else "stopped"
            return call.failure(ModelFailure(kind, f"{self._advice.provider}: {exc.message}"))

    async def _answer(self, request: ModelRequest, call: _Call) -> ModelOutcome:
        used = self._credentials.current
        response = await self._send(request, call)
        if response.status_code == _REFUSED_LOGIN and await self._credentials.renew(used):
            response = await self._send(request, call)
        if response.is_success:
            return self._reader.read(response.content, call.time_ms)
        return read_refusal(response.status_code, response.headers, response.content, self._advice, call.time_ms)

    async def _send(self, request: ModelRequest, call: _Call) -> httpx2.Response:
        """The raw response; the SDK's parser is skipped, because it accepts anything."""
        await self._credentials.prepare()
        call.sent = True
        body = self._wire.body(request, self._facts)
        try:
            return await self._client.post(_MESSAGES, cast_to=httpx2.Response, body=body)
        except APIStatusError as exc:
            return exc.response


_T = TypeVar("_T")

_starting = threading.Lock()


def _run_on_loop(call: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine on the loop and wait for it, from any other thread; an interrupted wait cancels it."""
    future = asyncio.run_coroutine_threadsafe(call, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop
