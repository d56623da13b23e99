"""The chat completions API: its requests, answers and events, with what differs between vendors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tribal.adapters.language_models.answers import (
    answer_of,
    broken_stream,
    member_of,
    no_usage,
    read_response,
    usage_of,
)
from tribal.adapters.language_models.refusals import Advice, Refusal
from tribal.adapters.openai.refusals import read_refusal
from tribal.ports import FailureKind, ModelFacts, ModelFailure, ModelOutcome, ModelRequest

if TYPE_CHECKING:
    import httpx2

_STOPPED: dict[str, tuple[FailureKind, str]] = {
    "length": ("truncated", "the answer reached its token limit"),
    "content_filter": ("refused", "the provider withheld the answer"),
}
"""By finish reason. Only `stop` means that the answer is complete."""
_FEWEST_TOKENS = 8
"""A prompt has at least one token for so many bytes; if fewer are reported, the server has cut it."""
_CUT = "the server cut the prompt to its context length; {}"


@dataclass(frozen=True, slots=True)
class Chat:
    """How one vendor serves the chat completions API."""

    facts: ModelFacts
    advice: Advice
    binds_answers: bool
    """Whether it is sent the schema of answers. If not, the prompt asks for the schema."""
    limits_completion: bool = False
    """Whether the limit is called `max_completion_tokens`."""
    longer_context: str = "give the server a longer context"
    """How to give the model a longer context."""
    path: str = "/chat/completions"
    streams: bool = True

    def body(self, request: ModelRequest, facts: ModelFacts, *, stream: bool) -> dict[str, Any]:
        """The body of a request. The part that all requests of a run share comes first, which vendors cache."""
        bound = self.binds_answers and request.schema is not None
        system = [request.prefix] if bound or request.schema is None else [request.prefix, request.schema_in_words]
        body: dict[str, Any] = {
            "model": facts.name,
            "messages": [
                {"role": "system", "content": "\n".join(system)},
                {"role": "user", "content": request.part},
            ],
            "max_completion_tokens" if self.limits_completion else "max_tokens": request.max_tokens,
        }
        if bound:
            schema = {name: value for name, value in (request.schema or {}).items() if name != "$schema"}
            named = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        effort = "none" if facts.thinking == "disabled" else facts.effort
        if effort is not None:
            body["reasoning_effort"] = effort
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def read(self, body: bytes, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The outcome of a call, from the body of its response."""
        completion = read_response(body, time_ms)
        if isinstance(completion, ModelFailure):
            return completion
        choice = _first(completion.get("choices"))
        message = member_of(choice, "message")
        text = message.get("content")
        return self.outcome(
            text if isinstance(text, str) else "",
            "refusal" if message.get("refusal") else choice.get("finish_reason"),
            completion.get("usage"),
            request,
            time_ms,
        )

    def outcome(self, text: str, reason: object, reported: object, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The outcome of a call that ended for a reason."""
        usage = usage_of(_counts(reported), self.facts, time_ms) if isinstance(reported, Mapping) else None
        if usage is None or not isinstance(reported, Mapping):
            return no_usage(time_ms)
        if reported["prompt_tokens"] < request.size_bytes // _FEWEST_TOKENS:
            return ModelFailure("too_long", _CUT.format(self.longer_context), usage)
        if reason == "refusal":
            return ModelFailure("refused", "the model declined to answer", usage)
        if isinstance(reason, str) and reason in _STOPPED:
            return ModelFailure(*_STOPPED[reason], usage)
        if reason != "stop":
            return ModelFailure("malformed", "the model stopped for an unknown reason", usage)
        return answer_of(text, request, usage, bound=self.binds_answers and request.schema is not None)

    def reader(self, request: ModelRequest) -> ChatEvents:
        """What reads the events of one stream."""
        return ChatEvents(self, request)

    def refusal(self, response: httpx2.Response) -> Refusal:
        """What a response other than 2xx means."""
        return read_refusal(response.status_code, response.content)


@dataclass(slots=True)
class ChatEvents:
    """Reads the events of one stream: usage comes with the last, or Groq's `x_groq`."""

    chat: Chat
    request: ModelRequest
    _texts: list[str] = field(default_factory=list)
    _usage: object = None
    _reason: object = None
    _refuses: bool = False
    _error: bool = False

    def take(self, event: Mapping[str, Any]) -> str:
        """The text that an event adds."""
        self._error = self._error or "error" in event
        usage = event.get("usage") or member_of(event, "x_groq").get("usage")
        self._usage = usage or self._usage
        choice = _first(event.get("choices"))
        delta = member_of(choice, "delta")
        self._reason = choice.get("finish_reason") or self._reason
        self._refuses = self._refuses or bool(delta.get("refusal"))
        text = delta.get("content")
        if not isinstance(text, str):
            return ""
        self._texts.append(text)
        return text

    def end(self, time_ms: int) -> ModelOutcome:
        """The outcome; a stream without a finish reason broke off."""
        if self._error or self._reason is None:
            return broken_stream(self.chat.advice.provider, time_ms)
        reason = "refusal" if self._refuses else self._reason
        return self.chat.outcome("".join(self._texts), reason, self._usage, self.request, time_ms)


def _counts(reported: Mapping[str, Any]) -> dict[str, object]:
    """Tokens by kind: those that came from the cache, or went there, are part of the prompt's.

    Some vendors count thinking in the total alone.
    """
    details = member_of(reported, "prompt_tokens_details")
    read, written = _whole(details.get("cached_tokens")) or 0, _whole(details.get("cache_write_tokens")) or 0
    prompt, output = _whole(reported.get("prompt_tokens")), _whole(reported.get("completion_tokens"))
    total = _whole(reported.get("total_tokens"))
    return {
        "input_tokens": None if prompt is None else max(prompt - read - written, 0),
        "cache_write_tokens": written,
        "cache_read_tokens": read,
        "output_tokens": output if None in (prompt, output, total) else max(output or 0, (total or 0) - (prompt or 0)),
    }


def _whole(count: object) -> int | None:
    return count if type(count) is int else None


def _first(choices: object) -> Mapping[str, Any]:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}
