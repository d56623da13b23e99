"""Reads answers: the text or the object that was asked for, or the reason why it is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from tribal.ports import ModelAnswer, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

_NO_API = "the response is not from the model's API: {what}; check model.base_url, and proxies in between"


class StreamReader(Protocol):
    """Reads the events of one stream."""

    def take(self, event: Mapping[str, Any]) -> str:
        """The text that an event adds; empty if none."""
        ...

    def end(self, time_ms: int) -> ModelOutcome:
        """The outcome, after the last event."""
        ...


def no_api(what: str, time_ms: int) -> ModelFailure:
    """The failure for a response that no model's API sends."""
    return ModelFailure("unavailable", _NO_API.format(what=what), ModelUsage(calls=1, time_ms=time_ms), unseen=True)


def no_usage(time_ms: int) -> ModelFailure:
    """The failure for a response without numbers of tokens."""
    return no_api("it did not say how many tokens were used", time_ms)


def read_response(body: bytes, time_ms: int) -> dict[str, Any] | ModelFailure:
    """The object that the body of a response is; else the failure."""
    try:
        parsed = parse_json(body)
    except ValueError:
        return no_api("it did not send complete JSON", time_ms)
    return parsed if isinstance(parsed, dict) else no_usage(time_ms)


def member_of(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A member that is an object; else an empty one."""
    member = value.get(name)
    return member if isinstance(member, Mapping) else {}


def broken_stream(provider: str, time_ms: int) -> ModelFailure:
    """The failure for a stream that ended before its answer did."""
    usage = ModelUsage(calls=1, time_ms=time_ms)
    return ModelFailure("unavailable", f"{provider}: the answer broke off", usage, unseen=True)


def usage_of(counts: Mapping[str, object], facts: ModelFacts, time_ms: int) -> ModelUsage | None:
    """The usage of one call from its token counts; `None` if one is not a whole number."""
    whole = {name: count for name, count in counts.items() if type(count) is int and count >= 0}
    if len(whole) < len(counts):
        return None
    usage = ModelUsage(calls=1, time_ms=time_ms, **whole)
    return usage.model_copy(update={"nanodollars": facts.cost(usage)})


def answer_of(text: str, request: ModelRequest, usage: ModelUsage, *, bound: bool) -> ModelOutcome:
    """The answer that a complete text is: the text itself, or the JSON object that the request asks for.

    Args:
        bound: whether the endpoint binds answers to the schema, so that nothing may be around the object.
    """
    if request.schema is None:
        if text.strip():
            return ModelAnswer({}, usage, text)
        return ModelFailure("malformed", "the model's answer is empty", usage)
    try:
        value = parse_json(text) if bound else find_object(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return ModelFailure("malformed", "the model's answer is not one JSON object", usage)
    return ModelAnswer(value, usage, text)


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
