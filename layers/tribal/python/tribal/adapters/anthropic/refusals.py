"""Errors of the Messages API, at Anthropic and at Bedrock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tribal.adapters.aws.clients import NOT_LOGGED_IN
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

_BY_TYPE: dict[str, Problem] = {
    "authentication_error": "login",
    "billing_error": "money",
    "not_found_error": "model",
    "permission_error": "permission",
}
"""Types of error after which no call can succeed (`error.type`; anthropic/types/shared/error_type.py)."""

_AWS_KINDS: dict[str, tuple[FailureKind, str]] = {
    "ModelNotReadyException": ("unavailable", "is not ready with this model yet"),
    "ServiceQuotaExceededException": ("throttled", "wants fewer requests or tokens a minute"),
}
"""Errors of bedrock-runtime whose status is ambiguous (botocore/data/bedrock-runtime, InvokeModel)."""

_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
    "validationException": 400,
    "modelTimeoutException": 408,
    "modelStreamErrorException": 424,
    "throttlingException": 429,
    "serviceUnavailableException": 503,
}
"""Status by type of an error that came with status 200 (https://platform.claude.com/docs/en/api/errors, and
botocore/data/bedrock-runtime, `ResponseStream`)."""
_BROKEN = 500
_MODEL_RAN = frozenset({408, 424})

_OF_MONEY = re.compile(r"credit balance|usage limits?\b|spend(?:ing)? limit", re.IGNORECASE)
"""In the messages of refusals because of an empty balance or a limit that was reached, which come as 400
`invalid_request_error` (https://platform.claude.com/docs/en/api/errors, and reports of users)."""


def read_refusal(status: int, headers: Mapping[str, str], body: bytes) -> Refusal:
    """What a response other than 2xx means."""
    answer = read_object(body)
    error = answer.get("error")
    error = error if isinstance(error, dict) else {}
    code = _code_of(error)
    message = text_of(error.get("message")) or text_of(answer.get("message"))
    aws = headers.get("x-amzn-errortype", "").partition(":")[0]
    kind, says = _meaning(status, aws, error, code, message)
    unseen = may_have_answered(status, answer)
    return Refusal(kind, says, code or text_of(error.get("type")) or aws, message, unseen)


def read_error(error: Mapping[str, Any], *, unseen: bool) -> tuple[int, Refusal]:
    """Return the status of which an error in a 200 or in a stream is the twin, and what it means.

    Args:
        unseen: whether a part of an answer came before it.
    """
    type_, code, message = text_of(error.get("type")), _code_of(error), text_of(error.get("message"))
    status = _STATUSES.get(type_, _BROKEN)
    kind, says = _meaning(status, "", error, code, message)
    return status, Refusal(kind, says, code or type_, message, unseen or status >= _BROKEN or status in _MODEL_RAN)


def _code_of(error: Mapping[str, Any]) -> str:
    details = error.get("details")
    return text_of(details.get("error_code")) if isinstance(details, dict) else ""


def _meaning(status: int, aws: str, error: Mapping[str, Any], code: str, message: str) -> tuple[FailureKind, str]:
    if aws in NOT_LOGGED_IN:
        return "stopped", "login"
    if stopping := _BY_CODE.get(code) or _BY_TYPE.get(text_of(error.get("type"))):
        return "stopped", stopping
    if aws in _AWS_KINDS:
        return _AWS_KINDS[aws]
    # These have neither a status nor a code of their own, at Anthropic and at Bedrock.
    if status == 400 and "too long" in message.lower():
        return "too_long", "takes no prompt of this length"
    if status == 400 and _OF_MONEY.search(message):
        return "stopped", "money"
    return by_status(status)
