"""Errors of the chat completions API, as OpenAI, Gemini, Groq and Ollama write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tribal.adapters.language_models.refusals import (
    Problem,
    Refusal,
    by_status,
    may_have_answered,
    read_object,
    text_of,
)
from tribal.ports import FailureKind

_BY_CODE: dict[str, Problem] = {
    "billing_hard_limit_reached": "money",
    "billing_not_active": "money",
    "insufficient_quota": "money",
    "invalid_api_key": "login",
    "model_decommissioned": "model",
    "model_not_found": "model",
    "model_terms_required": "permission",
    "organization_restricted": "account",
    "unsupported_country_region_territory": "account",
}
"""Codes and types after which no call can succeed, whatever the status
(https://developers.openai.com/api/docs/guides/error-codes, https://console.groq.com/docs/errors)."""
_NO_KEY = re.compile(r"API key not valid|API_KEY_INVALID|API key expired", re.IGNORECASE)
"""Gemini refuses a key with 400 (https://ai.google.dev/gemini-api/docs/troubleshooting)."""
_TOO_LONG = re.compile(
    r"context[ _]length|maximum context|exceeds the (?:maximum|available|model's) [a-z ]*(?:tokens|context)"
    r"|reduce the length|prompt is too long|too many tokens",
    re.IGNORECASE,
)
_STATUS = re.compile(r"[45][0-9]{2}")
_BAD_REQUEST, _BROKEN = 400, 500
_STATUSES = {
    "authentication_error": 401,
    "context_length_exceeded": 400,
    "exceed_context_size_error": 400,
    "invalid_request_error": 400,
    "not_found_error": 404,
    "overloaded_error": 503,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "unavailable_error": 503,
}
"""The statuses with which servers send these types and codes, where they come without one."""
_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")


def read_refusal(status: int, body: bytes) -> Refusal:
    """Return what a response other than 2xx means."""
    answer = read_object(body)
    return _refusal(error_of(answer), status, unseen=may_have_answered(status, answer))


def read_error(error: Mapping[str, Any], *, unseen: bool) -> tuple[int, Refusal]:
    """Return the status of which an error in a 200 or in a stream is the twin, and what it means.

    Args:
        unseen: whether a part of an answer came before it.
    """
    code = error.get("code")
    found = _STATUS.fullmatch(str(code)) if isinstance(code, int | str) else None
    named = [status for name in _names_of(error) if (status := _STATUSES.get(name))]
    is_too_long = _TOO_LONG.search(text_of(error.get("message"))) is not None
    status = int(found[0]) if found else named[0] if named else _BAD_REQUEST if is_too_long else _BROKEN
    return status, _refusal(error, status, unseen=unseen or status >= _BROKEN)


def error_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the error in the body of a response; Ollama's own API writes the message alone."""
    error = answer.get("error", answer.get("detail"))
    return error if isinstance(error, dict) else {"message": error or answer.get("message")}


def _refusal(error: Mapping[str, Any], status: int, *, unseen: bool) -> Refusal:
    message, names = text_of(error.get("message")), _names_of(error)
    kind, says = _meaning(status, names, message)
    return Refusal(kind, says, names[0] if names else "", message, unseen, _retry_delay(error))


def _names_of(error: Mapping[str, Any]) -> list[str]:
    return [text for name in ("code", "type", "status") if (text := text_of(error.get(name)))]


def _meaning(status: int, names: list[str], message: str) -> tuple[FailureKind, str]:
    for name in names:
        if name in _BY_CODE:
            return "stopped", _BY_CODE[name]
    if status == 400 and _NO_KEY.search(message):
        return "stopped", "login"
    if status in (400, 413, 422) and ("context_length_exceeded" in names or _TOO_LONG.search(message)):
        return "too_long", "takes no prompt of this length"
    return by_status(status)


def _retry_delay(error: Mapping[str, Any]) -> float | None:
    """Seconds to wait, which Gemini writes into the details of an error (google.rpc.RetryInfo)."""
    for detail in _details(error):
        found = _SECONDS.fullmatch(text_of(detail.get("retryDelay")))
        if found:
            return float(found[1])
    return None


def _details(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    details = error.get("details")
    for detail in details if isinstance(details, list) else []:
        if isinstance(detail, Mapping):
            yield detail
