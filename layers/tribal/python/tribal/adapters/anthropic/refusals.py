"""Translates error responses into our own messages; the server's text is never passed on."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from tribal.adapters.anthropic.answers import parse_json
from tribal.adapters.aws.clients import NOT_LOGGED_IN
from tribal.ports import FailureKind, ModelFailure
from tribal_contracts import ModelProvider, ModelUsage


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


_BY_CODE = {
    "contract_spend_limit_reached": "money",
    "enforced_spend_limit_reached": "money",
    "linked_organization_billing_unavailable": "money",
    "linked_organization_spend_limit_reached": "money",
    "cmek_key_disabled": "account",
    "cmek_key_network_blocked": "account",
    "organization_on_hold": "account",
    "organization_type_not_supported": "account",
    "parent_organization_required": "account",
    "sandbox_egress_restricted": "account",
}
"""Codes after which no call can succeed (`error.details.error_code`; anthropic/types/shared/error_details.py)."""

_BY_TYPE = {
    "authentication_error": "login",
    "billing_error": "money",
    "not_found_error": "model",
    "permission_error": "permission",
}
"""Types of error after which no call can succeed (`error.type`; anthropic/types/shared/error_type.py)."""

_BY_STATUS = {401: "login", 402: "money", 403: "permission", 404: "model"}

_MESSAGES = {
    "login": "refused the key or the signature",
    "money": "refuses because a credit or spend limit is used up",
    "permission": "does not permit it",
    "model": "knows no such model or address",
    "account": "does not serve this account",
}

_KINDS: dict[int, tuple[FailureKind, str]] = {
    400: ("rejected", "refuses this request"),
    408: ("unavailable", "did not finish in time"),
    409: ("unavailable", "was busy with a conflicting request"),
    413: ("too_long", "takes no request of this size"),
    422: ("rejected", "refuses this request"),
    424: ("unavailable", "failed in the model"),
    429: ("throttled", "wants fewer requests or tokens a minute"),
    499: ("unavailable", "saw the connection end"),
    504: ("unavailable", "did not finish in time"),
    529: ("overloaded", "is overloaded"),
}
_REMAINING = re.compile(r"anthropic-ratelimit-[a-z-]+-remaining")
_UNFINISHED = frozenset({408, 499, 504})
"""The model may have continued, and the call may be billed."""

_AWS_KINDS: dict[str, tuple[FailureKind, str]] = {
    "ModelNotReadyException": ("unavailable", "is not ready with this model yet"),
    "ServiceQuotaExceededException": ("throttled", "wants fewer requests or tokens a minute"),
}
"""Errors of bedrock-runtime whose status is ambiguous (botocore/data/bedrock-runtime, InvokeModel)."""

_OF_MONEY = re.compile(r"credit balance|usage limits?\b|spend(?:ing)? limit", re.IGNORECASE)
"""In the messages of refusals because of an empty balance or a limit that was reached, which come as 400
`invalid_request_error` (https://platform.claude.com/docs/en/api/errors, and reports of users)."""
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{4,80}")


def read_refusal(status: int, headers: Mapping[str, str], body: bytes, advice: Advice, time_ms: int) -> ModelFailure:
    """The failure for a response other than 2xx."""
    answer = _object(body)
    error = answer.get("error")
    error = error if isinstance(error, dict) else {}
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, dict) else None
    kind, message = _meaning(status, headers, error, code, _text(error.get("message")) or _text(answer.get("message")))
    if kind == "stopped":
        message = f"{_MESSAGES[message]} ({status}); {getattr(advice, message)}"
    else:
        message = f"{message} ({status})"
    return ModelFailure(
        kind,
        f"{advice.provider} {message}{_request_id(headers)}",
        ModelUsage(calls=1, time_ms=time_ms),
        retry_after_seconds=_retry_after(headers),
        may_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "").lower()),
        # A proxy may answer 5xx although the model answered.
        unseen=status in _UNFINISHED or (status >= 500 and not answer),
    )


def _meaning(
    status: int, headers: Mapping[str, str], error: Mapping[str, Any], code: object, message: str
) -> tuple[FailureKind, str]:
    """The kind of failure and its message; for a failure that stops the run, the advice."""
    name = headers.get("x-amzn-errortype", "").partition(":")[0]
    if name in NOT_LOGGED_IN:
        return "stopped", "login"
    if stopping := _BY_CODE.get(str(code)) or _BY_TYPE.get(str(error.get("type"))) or _BY_STATUS.get(status):
        return "stopped", stopping
    if name in _AWS_KINDS:
        return _AWS_KINDS[name]
    # These have neither a status nor a code of their own, at Anthropic and at Bedrock.
    if status == 400 and "too long" in message.lower():
        return "too_long", "takes no prompt of this length"
    if status == 400 and _OF_MONEY.search(message):
        return "stopped", "money"
    if status in _KINDS:
        return _KINDS[status]
    if status < 400:
        return "unavailable", "answered with a redirect, which is not followed; check model.base_url"
    if status < 500:
        return "rejected", "refuses this request"
    return "unavailable", "failed"


def _object(body: bytes) -> dict[str, Any]:
    try:
        parsed = parse_json(body)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _request_id(headers: Mapping[str, str]) -> str:
    """The id that the provider's support asks for."""
    request_id = headers.get("request-id") or headers.get("x-amzn-requestid") or ""
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
