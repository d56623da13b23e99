"""Reads answers: the text or the object that was asked for, or the reason why it is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from tribal.ports import ModelAnswer, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal.ports.models.calls import BYTES_A_TOKEN
from tribal_contracts import ModelUsage

_NO_API = "the response is not from the model's API: {what}; check model.base_url, and proxies in between"
_THINKING, _THOUGHT = "<think>", "</think>"


class OtherServiceError(Exception):
    """A complete JSON response that no model's API sends; its text says what is missing."""


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


def read_response(body: bytes, time_ms: int, members: Collection[str]) -> dict[str, Any] | ModelFailure:
    """Return the object in the body of a response, or the failure if the body is not complete JSON.

    Raises:
        OtherServiceError: when it has none of the members that the API's responses have.
    """
    try:
        parsed = parse_json(body)
    except ValueError:
        return no_api("it did not send complete JSON", time_ms)
    if not isinstance(parsed, dict) or parsed.keys().isdisjoint(members):
        raise OtherServiceError("its JSON has none of the members of an answer")
    return parsed


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


def estimated_usage(text: str, request: ModelRequest, facts: ModelFacts, time_ms: int) -> ModelUsage:
    """Estimate the usage of a call from the size of its texts; it costs the most that it can have cost."""
    return ModelUsage(
        calls=1,
        input_tokens=-(-request.size_bytes // BYTES_A_TOKEN),
        output_tokens=-(-len(text.encode(errors="replace")) // BYTES_A_TOKEN),
        time_ms=time_ms,
        nanodollars=facts.worst_price(request),
        estimated_calls=1,
    )


def without_thoughts(text: str) -> str:
    """Return what follows the thoughts that some servers leave in an answer."""
    _, ended, said = text.rpartition(_THOUGHT)
    if not ended and text.lstrip().startswith(_THINKING):
        return ""
    return said.lstrip() if ended else text


@dataclass(slots=True)
class ThoughtFilter:
    """Withholds the thoughts at the beginning of a stream."""

    _held: str = ""
    _has_passed: bool = False

    def shown(self, piece: str) -> str:
        """Return the part of the text that may be shown now that a piece has arrived."""
        if self._has_passed:
            _, ended, said = piece.rpartition(_THOUGHT)
            return said.lstrip() if ended else piece
        self._held += piece
        begins = self._held.lstrip()
        if begins.startswith(_THINKING):
            _, ended, said = begins.partition(_THOUGHT)
            self._has_passed = bool(ended)
            return said.lstrip()
        self._has_passed = not _THINKING.startswith(begins)
        return self._held if self._has_passed else ""


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
    """Return the JSON value that a text is, or the first object in it, with words or a Markdown fence around it.

    Raises:
        ValueError: if there is not exactly one complete object.
    """
    try:
        return parse_json(text)
    except ValueError:
        start = text.find("{")
        value, end = _object_at(text, start)
        before, after = text[:start].rstrip(), text[end:].lstrip()
        if before.endswith("[") or after.startswith(("]", ",")) or _has_object(after):
            raise
        return value


def is_cut(text: str) -> bool:
    """Return whether the first object in a text is not complete."""
    try:
        _object_at(text, text.find("{"))
    except ValueError:
        return True
    return False


def _object_at(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, max(start, 0))
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc


def _has_object(text: str) -> bool:
    starts = islice((found.start() for found in re.finditer("{", text)), _MOST_BRACES)
    for start in starts:
        with suppress(ValueError):
            if _object_at(text, start)[0]:
                return True
    return False


_MOST_BRACES = 50
"""So many braces after an answer are looked at. By judgement."""
_DECODER = json.JSONDecoder(parse_constant=_reject)
