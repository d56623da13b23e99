"""The chat completions API: its requests, with what differs between servers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tribal.adapters.language_models.answers import read_response
from tribal.adapters.language_models.refusals import Advice, Refusal, read_object
from tribal.adapters.openai.completions import ChatEvents, Completion
from tribal.adapters.openai.refusals import error_of, read_refusal
from tribal.ports import ModelFacts, ModelFailure, ModelOutcome, ModelRequest

if TYPE_CHECKING:
    import httpx2

_BAD_REQUEST = (400, 422)
_LIMITS = ("max_tokens", "max_completion_tokens")
_NO_SCHEMA = re.compile(r"response_format|json_schema|response format", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chat:
    """How one server serves the chat completions API."""

    facts: ModelFacts
    advice: Advice
    binds_answers: bool
    """Whether it is sent the schema of answers as `response_format`."""
    schema_in_words: bool = True
    """Whether the prompt has the schema too: small models write better answers if they see it."""
    limits_completion: bool = False
    """Whether the limit is called `max_completion_tokens`."""
    asks_usage: bool = True
    """Whether streams are asked for their usage."""
    longer_context: str = "give the server a longer context"
    """How to give the model a longer context."""
    path: str = "/chat/completions"
    streams: bool = True

    def body(self, request: ModelRequest, facts: ModelFacts, *, stream: bool) -> dict[str, Any]:
        """The body of a request. The part that all requests of a run share comes first, which vendors cache."""
        bound = self.binds_answers and request.schema is not None
        hides = request.is_trial or (bound and not self.schema_in_words)
        in_words = "" if hides else request.schema_in_words
        body: dict[str, Any] = {
            "model": facts.name,
            "messages": [
                {"role": "system", "content": "\n".join(filter(None, (request.prefix, in_words)))},
                {"role": "user", "content": request.part},
            ],
            _LIMITS[self.limits_completion]: request.max_tokens,
        }
        if bound:
            schema = {name: value for name, value in (request.schema or {}).items() if name != "$schema"}
            named = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        effort = "none" if facts.thinking == "disabled" else facts.effort
        if effort is not None:
            body["reasoning_effort"] = effort
        if stream:
            body |= {"stream": True} | ({"stream_options": {"include_usage": True}} if self.asks_usage else {})
        return body

    def read(self, body: bytes, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The outcome of a call, from the body of its response."""
        answer = read_response(body, time_ms, ("choices", "error"))
        if isinstance(answer, ModelFailure):
            return answer
        said = Completion()
        said.add(answer)
        return said.outcome(request, self.facts, self.advice, self.longer_context, time_ms)

    def reader(self, request: ModelRequest) -> ChatEvents:
        """What reads the events of one stream."""
        return ChatEvents(request, self.facts, self.advice, self.longer_context)

    def refusal(self, response: httpx2.Response) -> Refusal:
        """What a response other than 2xx means."""
        return read_refusal(response.status_code, response.content)

    def adapted(self, response: httpx2.Response) -> Chat | None:
        """The way of asking that a refusal asks for: another name of the limit, no schema, or no usage of streams."""
        if response.status_code not in _BAD_REQUEST:
            return None
        said = str(error_of(read_object(response.content)).get("message"))
        sent, other = _LIMITS[self.limits_completion], _LIMITS[not self.limits_completion]
        if _names(said, sent) and _names(said, other):
            return replace(self, limits_completion=not self.limits_completion)
        if self.binds_answers and self.schema_in_words and _NO_SCHEMA.search(said):
            return replace(self, binds_answers=False)
        return replace(self, asks_usage=False) if self.asks_usage and "stream_options" in said else None


def _names(text: str, member: str) -> bool:
    return re.search(rf"(?<![a-z_]){member}(?![a-z_])", text) is not None
