"""The Messages API: its requests, answers, events and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tribal.adapters.anthropic.refusals import read_error, read_refusal
from tribal.adapters.language_models.answers import (
    answer_of,
    broken_stream,
    member_of,
    no_usage,
    read_response,
    usage_of,
)
from tribal.adapters.language_models.refusals import Advice, Refusal, failure_of
from tribal.ports import FailureKind, ModelFacts, ModelFailure, ModelOutcome, ModelRequest

if TYPE_CHECKING:
    import httpx2

_STOPPED: dict[str, tuple[FailureKind, str]] = {
    "refusal": ("refused", "the model declined to answer"),
    "max_tokens": ("truncated", "the answer reached its token limit"),
    "model_context_window_exceeded": ("too_long", "request and answer are larger than the model's context"),
}
"""By stop reason. Only `end_turn` means that the answer is complete."""


@dataclass(frozen=True, slots=True)
class Messages:
    """How one endpoint serves the Messages API."""

    facts: ModelFacts
    advice: Advice
    binds_answers: bool = True
    """Whether it enforces a schema for answers. If not, the prompt asks for the schema."""
    more: Mapping[str, str] = field(default_factory=dict)
    """More members of the body of each request."""
    path: str = "/v1/messages"
    streams: bool = True

    def body(self, request: ModelRequest, facts: ModelFacts, *, stream: bool) -> dict[str, Any]:
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
        return body | ({"stream": True} if stream else {})

    def _system(self, request: ModelRequest) -> list[dict[str, Any]]:
        in_words = request.schema_in_words
        texts = [request.prefix] if self.binds_answers or not in_words else [request.prefix, in_words]
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
        # All blocks up to the marked one are cached together.
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
        return blocks

    def _output(self, request: ModelRequest, facts: ModelFacts) -> dict[str, Any]:
        output: dict[str, Any] = {}
        if self.binds_answers and request.schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if facts.effort is not None:
            output["effort"] = facts.effort
        return output

    def read(self, body: bytes, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The outcome of a call, from the body of its response."""
        message = read_response(body, time_ms, ("content", "error", "stop_reason", "usage"))
        if isinstance(message, ModelFailure):
            return message
        if error := member_of(message, "error"):
            return self.failure(error, request, time_ms, unseen=False)
        # Thinking and blocks of unknown types are passed over.
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        text = "".join(text for text in texts if isinstance(text, str))
        return self.outcome(text, message.get("stop_reason"), message.get("usage"), request, time_ms)

    def outcome(self, text: str, reason: object, reported: object, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The outcome of a call that ended for a reason."""
        usage = usage_of(_counts(reported), self.facts, time_ms) if isinstance(reported, Mapping) else None
        if usage is None:
            return no_usage(time_ms)
        if isinstance(reason, str) and reason in _STOPPED:
            return ModelFailure(*_STOPPED[reason], usage, text=text if reason == "max_tokens" else "")
        if reason != "end_turn":
            return ModelFailure("malformed", "the model stopped for an unknown reason", usage)
        return answer_of(text, request, usage, bound=self.binds_answers)

    def failure(self, error: Mapping[str, Any], request: ModelRequest, time_ms: int, *, unseen: bool) -> ModelFailure:
        """The failure for an error that came with status 200; `unseen` if a part of an answer came before it."""
        status, refusal = read_error(error, unseen=unseen)
        return failure_of(refusal, {}, status, request, self.advice, time_ms)

    def reader(self, request: ModelRequest) -> MessageEvents:
        """What reads the events of one stream."""
        return MessageEvents(self, request)

    def refusal(self, response: httpx2.Response) -> Refusal:
        """What a response other than 2xx means."""
        return read_refusal(response.status_code, response.headers, response.content)

    def adapted(self, _response: httpx2.Response) -> None:
        """The API has one way of asking."""


def _counts(reported: Mapping[str, Any]) -> dict[str, object]:
    return {
        "input_tokens": reported.get("input_tokens"),
        "output_tokens": reported.get("output_tokens"),
        "cache_write_tokens": reported.get("cache_creation_input_tokens") or 0,
        "cache_read_tokens": reported.get("cache_read_input_tokens") or 0,
    }


@dataclass(slots=True)
class MessageEvents:
    """Reads the events of one stream: usage comes with the first and the last, text in between."""

    messages: Messages
    request: ModelRequest
    _texts: list[str] = field(default_factory=list)
    _usage: dict[str, Any] = field(default_factory=dict)
    _reason: object = None
    _error: Mapping[str, Any] | None = None
    _complete: bool = False

    def take(self, event: Mapping[str, Any]) -> str:
        """The text that an event adds."""
        match event.get("type"):
            case "message_start":
                self._count(member_of(event, "message"))
            case "content_block_delta":
                text = member_of(event, "delta").get("text")
                if member_of(event, "delta").get("type") == "text_delta" and isinstance(text, str):
                    self._texts.append(text)
                    return text
            case "message_delta":
                self._count(event)
                self._reason = member_of(event, "delta").get("stop_reason")
            case "message_stop":
                self._complete = True
            case "error":
                self._error = member_of(event, "error")
        return ""

    def _count(self, holder: Mapping[str, Any]) -> None:
        self._usage |= {name: count for name, count in member_of(holder, "usage").items() if count is not None}

    def end(self, time_ms: int) -> ModelOutcome:
        """The outcome; a stream without its last event broke off, for the reason that an error in it names."""
        if self._error is not None and not self._complete:
            has_begun = bool(self._usage or self._texts)
            return self.messages.failure(self._error, self.request, time_ms, unseen=has_begun)
        if not self._complete:
            return broken_stream(self.messages.advice.provider, time_ms)
        return self.messages.outcome("".join(self._texts), self._reason, self._usage, self.request, time_ms)
