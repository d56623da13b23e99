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

_OF_MONEY = re.compile(r"credit balance|usage limits?\b|spend(?:ing)? limit", re.IGNORECASE)
"""In the messages of refusals because of an empty balance or a limit that was reached, which come as 400
`invalid_request_error` (https://platform.claude.com/docs/en/api/errors, and reports of users)."""


def read_refusal(status: int, headers: Mapping[str, str], body: bytes) -> Refusal:
    """What a response other than 2xx means."""
    answer = read_object(body)
    error = answer.get("error")
    error = error if isinstance(error, dict) else {}
    details = error.get("details")
    code = text_of(details.get("error_code")) if isinstance(details, dict) else ""
    message = text_of(error.get("message")) or text_of(answer.get("message"))
    aws = headers.get("x-amzn-errortype", "").partition(":")[0]
    kind, says = _meaning(status, aws, error, code, message)
    unseen = may_have_answered(status, answer)
    return Refusal(kind, says, code or text_of(error.get("type")) or aws, message, unseen)


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
