"""Errors as each vendor writes them."""

from __future__ import annotations

from typing import Any

from tests.fakes.model_servers.script import Failure
from tests.fakes.openai.vendor import VendorName

_GOOGLE = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""https://ai.google.dev/gemini-api/docs/troubleshooting."""
_OLLAMA = {400: "invalid_request_error", 404: "not_found_error"}
"""ollama/ollama openai/openai.go, `NewError`: all others are `api_error`."""


def error_body(vendor: VendorName, failure: Failure, param: str | None = None) -> Any:
    """The body of an error."""
    if vendor == "gemini":
        # https://github.com/n4ze3m/page-assist/issues/406: a list.
        error: dict[str, Any] = {
            "code": failure.status,
            "message": failure.message,
            "status": _GOOGLE.get(failure.status, "UNKNOWN"),
        }
        if details := _details(failure):
            error["details"] = details
        return [{"error": error}]
    if vendor == "ollama":
        kind = _OLLAMA.get(failure.status, "api_error")
        return {"error": {"message": failure.message, "type": kind, "param": None, "code": None}}
    error = {"message": failure.message, "type": failure.type, "param": param, "code": failure.code}
    if vendor == "groq":
        # https://console.groq.com/docs/errors: message and type; a code where there is one.
        error = {name: value for name, value in error.items() if value is not None}
    return {"error": error}


def _details(failure: Failure) -> list[dict[str, Any]]:
    """https://github.com/googleapis/googleapis google/rpc/error_details.proto."""
    details: list[dict[str, Any]] = []
    if failure.code == "invalid_api_key":
        details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"})
    seconds = dict(failure.headers).get("retry-after")
    if seconds is not None:
        # Google asks to wait here, and not in a header.
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"})
    return details
