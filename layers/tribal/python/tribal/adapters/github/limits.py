"""Rate limits and refusals as GitHub states them. Source: docs.github.com, Rate limits for the REST API."""

from __future__ import annotations

import email.utils
import json
from datetime import UTC, datetime
from typing import Any

from tribal.adapters.github.transport import Answer
from tribal.errors import RepositoryUnreadable, RepositoryUnusable, TribalError

_UNSTATED_SECONDS = 60.0
"""The wait that GitHub recommends when a limit states no time."""
_WORDS = ("rate limit", "abuse detection")


def limit_seconds(answer: Answer, now: float) -> float | None:
    """Return for how many seconds a limit holds; `None` if the answer is not about a limit.

    Args:
        now: the time in seconds since 1970, for answers without a date.
    """
    if answer.status not in (403, 429):
        return None
    stated = _number(answer.headers.get("retry-after"))
    if stated is not None:
        return max(1.0, stated)
    if answer.headers.get("x-ratelimit-remaining") == "0":
        reset = _number(answer.headers.get("x-ratelimit-reset"))
        return _UNSTATED_SECONDS if reset is None else max(0.0, reset - _date(answer, now)) + 1
    is_secondary = any(word in said_by(answer).casefold() for word in _WORDS)
    return _UNSTATED_SECONDS if answer.status == 429 or is_secondary else None


def said_by(answer: Answer) -> str:
    """Return the messages of an error's body in one line; empty if it has none."""
    try:
        found: Any = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(found, dict):
        return ""
    errors = found.get("errors")
    more = errors if isinstance(errors, list) else [errors]
    texts = [found.get("message"), *(each.get("message") if isinstance(each, dict) else each for each in more)]
    line = "; ".join(text for text in texts if isinstance(text, str))
    return "".join(char if char.isprintable() else " " for char in line)[:300]


def refusal_of(status: int, said: str, call: str, setting: str) -> TribalError:
    """Return the error for an answer that is neither a success nor a limit.

    Args:
        said: GitHub's message. call: method and path. setting: names the token.
    """
    what = f"GitHub answers {status} to {call}{f': {said}' if said else ''}"
    hints = {
        401: f"the token of `{setting}` is wrong, expired or revoked",
        403: f"check the rights of the token of `{setting}`",
        404: f"check `url`, and whether the token of `{setting}` may access the repository",
    }
    if status in (409, 422):
        return RepositoryUnusable(what)
    return RepositoryUnreadable(f"{what}; {hints.get(status, 'check `api_url`')}")


def time_in(seconds: float, now: float) -> str:
    """Return the time in so many seconds, for messages."""
    try:
        return f"{datetime.fromtimestamp(now + seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def _date(answer: Answer, now: float) -> float:
    """The server's time: this machine's clock may differ."""
    try:
        return email.utils.parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return now


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else None
