"""How servers that speak OpenAI's protocol differ from OpenAI: llama.cpp, vLLM, LM Studio, LiteLLM, gateways."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.fakes.model_servers.script import Event, Failure
from tests.fakes.openai import failures

Answer = dict[str, Any]


def _way(
    name: str, whole: Callable[[Answer], Any], events: Callable[[Sequence[Event]], Sequence[Event]] | None = None
) -> Failure:
    """An answer that a server gives in its own way, whole and in a stream."""
    return Failure(name, "none: servers differ", vendors=False, change=whole, change_stream=events)


def _finish(reason: object) -> Callable[[Mapping[str, Any]], Answer]:
    """Changes the finish reason of an answer, or of its last event; `...` leaves it out."""

    def changed(part: Mapping[str, Any]) -> Answer:
        choices = [
            {name: value for name, value in choice.items() if name != "finish_reason"}
            | ({} if reason is ... else {"finish_reason": reason if choice.get("finish_reason") else None})
            for choice in part["choices"]
        ]
        return {**part, "choices": choices}

    return changed


def _usage(usage: object) -> Callable[[Mapping[str, Any]], Answer]:
    return lambda part: {**part, "usage": usage} if part.get("usage") else dict(part)


def _each(change: Callable[[Mapping[str, Any]], Answer]) -> Callable[[Sequence[Event]], Sequence[Event]]:
    return lambda events: [change(event) for event in events]


def _said(change: Callable[[str], object]) -> Callable[[Answer], Answer]:
    """Changes the text of an answer, which a stream then sends in pieces."""

    def changed(answer: Answer) -> Answer:
        (choice,) = answer["choices"]
        message = {**choice["message"], "content": change(choice["message"]["content"])}
        return {**answer, "choices": [{**choice, "message": message}]}

    return changed


def _in_parts(content: object) -> object:
    return [{"type": "thinking", "thinking": []}, {"type": "text", "text": content}] if content else content


def _delta_parts(event: Mapping[str, Any]) -> Answer:
    choices = [
        {**choice, "delta": {**choice["delta"], "content": _in_parts(choice["delta"].get("content"))}}
        for choice in event["choices"]
    ]
    return {**event, "choices": choices}


def _error_events(error: Mapping[str, Any]) -> Callable[[Sequence[Event]], Sequence[Event]]:
    return lambda _: [{"error": dict(error)}]


REASONS = {"an empty reason": "", "no reason": None, "a missing reason": ..., "another reason": "eos_token"}
ENDS = [_way(f"{name} to end", _finish(reason), _each(_finish(reason))) for name, reason in REASONS.items()]
COUNTS = [
    _way(f"usage: {name}", _usage(usage), _each(_usage(usage)))
    for name, usage in {
        "null": None,
        "texts": {"prompt_tokens": "900", "completion_tokens": "40", "total_tokens": "940"},
        "floats": {"prompt_tokens": 900.5, "completion_tokens": 40.5, "total_tokens": 941.0},
        "zeros": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }.items()
] + [failures.NO_USAGE]
TEXTS = [
    _way("thoughts first", _said('<think>The user wants {{"a": 1}}.</think>\n{}'.format)),
    _way("a fence", _said("```json\n{}\n```".format)),
    _way("a brace behind", _said("{}\nI used {{braces}} as asked, {{}} too.".format)),
    _way("parts", _said(_in_parts), _each(_delta_parts)),
]
"""How an answer may be written that is to be used."""

_LIMITED = {"message": "Rate limit exceeded: free-models-per-min", "code": 429}
_BUSY = {"message": "Provider returned error", "code": 503, "type": "upstream"}
LIMITED_IN_200 = _way("429 in a 200", lambda _: {"error": _LIMITED}, _error_events(_LIMITED))
BUSY_IN_200 = _way("503 in a 200", lambda _: {"error": _BUSY}, _error_events(_BUSY))
NO_CHOICES = _way(
    "no choices", lambda answer: {**answer, "choices": None}, _each(lambda event: {**event, "choices": None})
)
OTHER_LIMIT = replace(
    failures.INVALID_REQUEST,
    name="another name of the limit",
    code="unsupported_parameter",
    message="Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
)
NO_STREAM_OPTIONS = replace(
    failures.INVALID_REQUEST, name="no usage of streams", message="Unknown field: 'stream_options'."
)
LOADING = replace(
    failures.OVERLOADED, name="loading", cites="ggml-org/llama.cpp tools/server", message="Loading model", vendors=False
)
ELSEWHERE = failures.redirected("https://elsewhere.example/v1/chat/completions")


def listed_by(owner: str, name: str, **more: Any) -> bytes:
    """The list of models of a server with one."""
    return json.dumps({"object": "list", "data": [{"id": name, "object": "model", "owned_by": owner, **more}]}).encode()
