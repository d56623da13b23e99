"""Parses bodies and headers of requests; size limits are checked before parsing."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

from tribal.errors import BodyTypeRefused, RequestRefused

DEEPEST = 64
"""Maximum nesting of a JSON body. By judgement: the deepest tool input has two levels, an MCP message six."""
MOST_PARTS = 100_000
"""Maximum number of brackets, commas and colons in a JSON body: parsed, each takes some hundred bytes. By judgement."""
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_NO_STRUCTURE = bytes(set(range(256)) - set(b"[]{},:"))
_STEPS = {**dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}
_JSON_TYPE = re.compile(r"application/(?:json|[\w.+-]+\+json)\Z")


def json_object(body: bytes, expected: str = 'the tool\'s input, such as {"query": "..."}') -> dict[str, Any]:
    """Parse a body as a JSON object; an empty body is an empty object.

    Args:
        body: as it was sent.
        expected: what to send, for the message.

    Raises:
        RequestRefused: when it is not a JSON object, or too deeply nested.
    """
    require_bounded(body)
    try:
        # The call rejects lone surrogates with a message.
        value = json.loads((body or b"{}").decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise RequestRefused(f"the body is not a JSON object; send {expected}")
    return value


def require_bounded(body: bytes) -> None:
    """Refuse a JSON body that is too deeply nested or has too many parts.

    Raises:
        RequestRefused: when it exceeds a limit.
    """
    structure = _TEXT.sub(b"", body).translate(None, _NO_STRUCTURE)
    if len(structure) > MOST_PARTS:
        raise RequestRefused(f"the body has more than {MOST_PARTS} parts")
    if max(accumulate(_STEPS.get(sign, 0) for sign in structure), default=0) > DEEPEST:
        raise RequestRefused(f"the body is nested deeper than {DEEPEST} levels")


def require_json(content_type: str | None) -> None:
    """Refuse a body with a content type other than JSON; a missing one counts as JSON.

    Raises:
        BodyTypeRefused: when it has another type.
    """
    if content_type is not None and not _JSON_TYPE.match(content_type.partition(";")[0].strip().lower()):
        raise BodyTypeRefused("unsupported content type; send JSON with Content-Type: application/json")


def accepts(accept: str | None, content_type: str) -> bool:
    """Whether an `Accept` header allows a content type; a missing or malformed one allows all."""
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
