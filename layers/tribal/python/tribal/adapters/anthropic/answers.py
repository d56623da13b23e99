"""Reads the body of a response with status 200: an answer, or the reason why it is unusable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tribal.ports import FailureKind, ModelAnswer, ModelFacts, ModelFailure, ModelOutcome
from tribal_contracts import ModelUsage

_NO_API = "the response is not from the model's API: {what}; check model.base_url, and proxies in between"

_STOPPED: dict[str, tuple[FailureKind, str]] = {
    "refusal": ("refused", "the model declined to answer"),
    "max_tokens": ("truncated", "the answer reached its token limit"),
    "model_context_window_exceeded": ("too_long", "request and answer are larger than the model's context"),
}
"""By stop reason. Only `end_turn` means that the answer is complete."""


def parse_json(text: str | bytes) -> Any:
    """A JSON value.

    Raises:
        ValueError: if it is not one, has numbers that JSON does not allow, or is nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_reject)
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc


def _reject(constant: str) -> Any:
    raise ValueError(f"JSON has no {constant}")


def find_object(text: str) -> Any:
    """The JSON value that a text is, or the one object that it has words or a Markdown fence around.

    Raises:
        ValueError: if there is not exactly one complete object.
    """
    try:
        return parse_json(text)
    except ValueError:
        start, end = text.find("{"), text.rfind("}") + 1
        before, after = text[:start].rstrip(), text[end:].lstrip()
        if before.endswith("[") or after.startswith(("]", ",")):
            raise
        return parse_json(text[start:end])


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """Reads answers of one model."""

    facts: ModelFacts
    bound: bool = True
    """Whether the endpoint binds answers to the schema, so that nothing may be around them."""

    def read(self, body: bytes, time_ms: int) -> ModelOutcome:
        """The outcome of a call, from the body of its response."""
        try:
            message = parse_json(body)
        except ValueError:
            return self._no_api("it did not send complete JSON", time_ms)
        usage = self._usage(message.get("usage"), time_ms) if isinstance(message, dict) else None
        if usage is None:
            return self._no_api("it did not say how many tokens were used", time_ms)
        reason = message.get("stop_reason")
        if isinstance(reason, str) and reason in _STOPPED:
            return ModelFailure(*_STOPPED[reason], usage)
        if reason != "end_turn":
            return ModelFailure("malformed", "the model stopped for an unknown reason", usage)
        return self._value(message.get("content"), usage)

    def _value(self, content: object, usage: ModelUsage) -> ModelOutcome:
        """The object in the text; thinking and blocks of unknown types are ignored."""
        blocks = content if isinstance(content, list) else []
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        text = "".join(text for text in texts if isinstance(text, str))
        try:
            value = parse_json(text) if self.bound else find_object(text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            return ModelFailure("malformed", "the model's answer is not one JSON object", usage)
        return ModelAnswer(value, usage)

    def _no_api(self, what: str, time_ms: int) -> ModelFailure:
        return ModelFailure("unavailable", _NO_API.format(what=what), ModelUsage(calls=1, time_ms=time_ms), unseen=True)

    def _usage(self, reported: object, time_ms: int) -> ModelUsage | None:
        if not isinstance(reported, Mapping):
            return None
        counts = {
            "input_tokens": reported.get("input_tokens"),
            "output_tokens": reported.get("output_tokens"),
            "cache_write_tokens": reported.get("cache_creation_input_tokens") or 0,
            "cache_read_tokens": reported.get("cache_read_input_tokens") or 0,
        }
        if not all(type(count) is int and count >= 0 for count in counts.values()):
            return None
        usage = ModelUsage(calls=1, time_ms=time_ms, **counts)
        return usage.model_copy(update={"nanodollars": self.facts.cost(usage)})
