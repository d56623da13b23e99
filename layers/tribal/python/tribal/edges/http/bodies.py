"""Reads what a request bears, within limits that hold before anything is parsed."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

from tribal.errors import BodyTypeRefused, RequestRefused

DEEPEST = 64
"""Levels of a JSON body. By judgement: the deepest input of a tool has two, a message of MCP six."""
MOST_PARTS = 100_000
"""Brackets, commas and colons of a JSON body: once read, each costs some hundred bytes. By judgement."""
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_NO_STRUCTURE = bytes(set(range(256)) - set(b"[]{},:"))
_STEPS = {**dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}
_JSON_TYPE = re.compile(r"application/(?:json|[\w.+-]+\+json)\Z")


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is; an empty body counts as an empty one.

    Raises:
        RequestRefused: when it is none, or too deep.
    """
    require_bounded(body)
    try:
        # Lone surrogates are rejected by the call, with a message.
        value = json.loads((body or b"{}").decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise RequestRefused('the body is no JSON object; it is the tool\'s input, such as {"query": "..."}')
    return value


def require_bounded(body: bytes) -> None:
    """Refuse a body of JSON that is nested deeper, or has more parts, than a parser should be given.

    Raises:
        RequestRefused: when it does.
    """
    structure = _TEXT.sub(b"", body).translate(None, _NO_STRUCTURE)
    if len(structure) > MOST_PARTS:
        raise RequestRefused(f"the body has more than {MOST_PARTS} parts; no input has")
    if max(accumulate(_STEPS.get(sign, 0) for sign in structure), default=0) > DEEPEST:
        raise RequestRefused(f"the body is nested deeper than {DEEPEST} levels; no input is")


def require_json(content_type: str | None) -> None:
    """Refuse a body that calls itself something else than JSON; one that says nothing is taken for it.

    Raises:
        BodyTypeRefused: when it does.
    """
    if content_type is not None and not _JSON_TYPE.match(content_type.partition(";")[0].strip().lower()):
        raise BodyTypeRefused("the body is of a type that is not read; send JSON, with Content-Type: application/json")


def accepts(accept: str | None, content_type: str) -> bool:
    """Whether a header `Accept` admits a content type; a missing one, and one that cannot be read, admits all."""
    if not accept:
        return True
    kind = content_type.partition(";")[0]
    major = kind.partition("/")[0]
    weights: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weights[name] = max(_weight(parameters), weights.get(name, 0.0))
    for name in (kind, f"{major}/*", "*/*"):
        if name in weights:
            return weights[name] > 0
    return not any("/" in name for name in weights)


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 1.0
    return 1.0
