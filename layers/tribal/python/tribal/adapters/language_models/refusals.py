"""Error responses: what they mean for a run, what a person can do, and what of the server's text may be repeated."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from tribal.adapters.language_models.answers import parse_json
from tribal.ports import FailureKind, ModelFailure, ModelRequest
from tribal.sql.visibility import is_visible
from tribal_contracts import ModelProvider, ModelUsage

Problem = Literal["login", "money", "permission", "model", "account", "redirect"]
"""What a person has to solve before any call can succeed."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a person can do at a provider, by kind of problem."""

    id: ModelProvider
    provider: str
    login: str
    permission: str
    model: str
    money: str
    account: str
    connection: str = "check network and model.base_url"
    """If nothing answers at the address."""
    redirect: str = "it is not followed; check model.base_url, and proxies in between"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an error response means."""

    kind: FailureKind
    says: str
    """Our own words for it, after the provider's name; for a failure that stops a run, the `Problem`."""
    type: str = ""
    """The provider's type or code of error."""
    message: str = ""
    """The server's text, not redacted yet."""
    unseen: bool = False
    """Whether the model may have answered."""
    retry_after_seconds: float | None = None
    """The delay that the body asks for; headers come first."""


KINDS: dict[int, tuple[FailureKind, str]] = {
    400: ("rejected", "refuses this request"),
    408: ("unavailable", "did not finish in time"),
    409: ("unavailable", "was busy with a conflicting request"),
    413: ("too_long", "takes no request of this size"),
    422: ("rejected", "refuses this request"),
    424: ("unavailable", "failed in the model"),
    429: ("throttled", "wants fewer requests or tokens a minute"),
    498: ("overloaded", "has no capacity left"),
    499: ("unavailable", "saw the connection end"),
    504: ("unavailable", "did not finish in time"),
    529: ("overloaded", "is overloaded"),
}
STOPPING: dict[int, Problem] = {401: "login", 402: "money", 403: "permission", 404: "model"}
"""Statuses after which no call can succeed."""
_UNFINISHED = frozenset({408, 499, 504})

_PROBLEMS: dict[str, str] = {
    "login": "refused the key or the signature",
    "money": "refuses because a credit or spend limit is used up",
    "permission": "does not permit it",
    "model": "knows no such model or address",
    "account": "does not serve this account",
    "redirect": "answered with a redirect",
}


def may_have_answered(status: int, answer: Mapping[str, Any]) -> bool:
    """Whether the model may have answered, so that the call may be billed: a proxy may answer 5xx in its place."""
    return status in _UNFINISHED or (status >= 500 and not answer)


def by_status(status: int) -> tuple[FailureKind, str]:
    """What a status means, if nothing else is known."""
    if status in STOPPING:
        return "stopped", STOPPING[status]
    if status in KINDS:
        return KINDS[status]
    if status < 400:
        return "stopped", "redirect"
    return ("rejected", "refuses this request") if status < 500 else ("unavailable", "failed")


def failure_of(
    refusal: Refusal, headers: Mapping[str, str], status: int, request: ModelRequest, advice: Advice, time_ms: int
) -> ModelFailure:
    """Return the failure for a response other than 2xx, or for an error in one."""
    stops = refusal.kind == "stopped"
    kind = f" {refusal.type}" if _TYPE.fullmatch(refusal.type) else ""
    said = repeatable(refusal.message, request)
    details = f"({status}{kind}{f': {said}' if said else ''})"
    if stops:
        message = f"{_PROBLEMS[refusal.says]} {details}; {getattr(advice, refusal.says)}"
    else:
        message = f"{refusal.says} {details}"
    waits = _retry_after(headers)
    return ModelFailure(
        refusal.kind,
        f"{advice.provider} {message}{_request_id(headers)}",
        ModelUsage(calls=1, time_ms=time_ms),
        retry_after_seconds=refusal.retry_after_seconds if waits is None else waits,
        may_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "").lower()),
        unseen=refusal.unseen,
    )


def read_object(body: bytes) -> dict[str, Any]:
    """The object that a body is, or that is the first of a list; else an empty one."""
    try:
        parsed = parse_json(body)
    except ValueError:
        return {}
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    return parsed if isinstance(parsed, dict) else {}


def text_of(value: object) -> str:
    """The value if it is a text; else an empty one."""
    return value if isinstance(value, str) else ""


_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
_REMAINING = re.compile(r"anthropic-ratelimit-[a-z-]+-remaining")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{4,80}")
_REQUEST_IDS = ("request-id", "x-request-id", "x-amzn-requestid")
_MOST_CHARS = 200
_SHOWN_WORDS = 3
"""So many consecutive words of a request are not repeated; fewer may be the same by chance."""
_SECRET = re.compile(r"\S*(?:\*{3}|\bsk-|\bgsk_|\bAIza|\bBearer\b|[A-Za-z0-9+/_-]{20,})\S*")
_HIDDEN = "..."


def repeatable(text: str, request: ModelRequest) -> str:
    """A server's text without what looks like a key and without the words of the request; bounded, on one line."""
    line = " ".join("".join(char if is_visible(char) else " " for char in text[: 10 * _MOST_CHARS]).split())
    words = _SECRET.sub(_HIDDEN, line).split(" ") if line else []
    shown = " ".join(f"{request.prefix} {request.part}".split()).lower()
    hidden: set[int] = set()
    for at, word in enumerate(words):
        run = " ".join(words[at : at + _SHOWN_WORDS]).lower()
        if at + _SHOWN_WORDS <= len(words) and run in shown:
            hidden.update(range(at, at + _SHOWN_WORDS))
        elif _is_name(word) and word.strip(_AROUND).lower() in request.part.lower():
            hidden.add(at)
    kept = " ".join(_HIDDEN if at in hidden else word for at, word in enumerate(words))
    kept = re.sub(rf"{re.escape(_HIDDEN)}(?: {re.escape(_HIDDEN)})+", _HIDDEN, kept)
    return kept if len(kept) <= _MOST_CHARS else f"{kept[:_MOST_CHARS].rsplit(' ', 1)[0]} {_HIDDEN}"


_AROUND = "'\"`.,;:()[]{}"


def _is_name(word: str) -> bool:
    """Whether a word is quoted or an identifier, so that it may be a name or a value of the request."""
    bare = word.strip(_AROUND)
    return len(bare) > 1 and (not bare.isalpha() or word[0] in "'\"`")


def _request_id(headers: Mapping[str, str]) -> str:
    """The id that the provider's support asks for."""
    request_id = next((found for name in _REQUEST_IDS if (found := headers.get(name))), "")
    return f" [request {request_id}]" if _REQUEST_ID.fullmatch(request_id) else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: of `retry-after-ms`, of `retry-after`, which may be a date, or until a limit is reset."""
    ways: tuple[Callable[[], float], ...] = (
        lambda: float(headers["retry-after-ms"]) / 1000,
        lambda: float(headers["retry-after"]),
        lambda: parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time(),
        lambda: _until_reset(headers),
    )
    for way in ways:
        with suppress(KeyError, ValueError):
            seconds = way()
            return max(seconds, 0.0) if math.isfinite(seconds) else None
    return None


def _until_reset(headers: Mapping[str, str]) -> float:
    """Seconds until every limit that is used up is reset, by `anthropic-ratelimit-*`.

    Raises:
        ValueError: when no limit is used up, or a time cannot be read.
    """
    names = [name for name in headers if _REMAINING.fullmatch(name.lower()) and headers[name] == "0"]
    resets = [datetime.fromisoformat(headers[f"{name.lower().removesuffix('remaining')}reset"]) for name in names]
    return max(reset.timestamp() for reset in resets) - time.time()
