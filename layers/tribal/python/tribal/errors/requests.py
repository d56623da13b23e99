"""Refusals of HTTP requests, before they reach a tool."""

from __future__ import annotations

from tribal.errors.base import EXIT_NOT_FOUND, EXIT_USAGE, TribalError


class RequestRefused(TribalError):
    """A request over HTTP was refused before it reached a tool."""

    default_code = "HTTP_REQUEST_INVALID"
    exit_code = EXIT_USAGE
    http_status = 400


class CallerUnknown(RequestRefused):
    """The request has no valid token; the message does not show the token."""

    default_code = "HTTP_CALLER_UNKNOWN"
    http_status = 401


class OriginRefused(RequestRefused):
    """The request comes from a page of another site."""

    default_code = "HTTP_ORIGIN_REFUSED"
    http_status = 403


class HostRefused(RequestRefused):
    """The request names a host that the server does not accept, as after DNS rebinding."""

    default_code = "HTTP_HOST_REFUSED"
    http_status = 421


class PathUnknown(RequestRefused):
    """The path does not exist."""

    default_code = "HTTP_NOT_FOUND"
    exit_code = EXIT_NOT_FOUND
    http_status = 404


class MethodRefused(RequestRefused):
    """The path does not support the method."""

    default_code = "HTTP_METHOD_REFUSED"
    http_status = 405


class AnswerTypeRefused(RequestRefused):
    """The request does not accept the type of the answer."""

    default_code = "HTTP_NOT_ACCEPTABLE"
    http_status = 406


class BodyTypeRefused(RequestRefused):
    """The body has an unsupported type."""

    default_code = "HTTP_TYPE_UNSUPPORTED"
    http_status = 415


class BodyTooLarge(RequestRefused):
    """The body is too large."""

    default_code = "HTTP_BODY_TOO_LARGE"
    http_status = 413


class RequestTooSlow(RequestRefused):
    """The request did not arrive in time. Retryable."""

    default_code = "HTTP_TOO_SLOW"
    http_status = 408
    retryable = True


class ClientDisconnected(RequestTooSlow):
    """The client disconnected before the end of the request or of its answer."""


class IdentifierRefused(RequestRefused):
    """The request selects an identifier that its caller does not have."""

    default_code = "HTTP_IDENTIFIER_REFUSED"
    http_status = 403


class TooManyRequests(RequestRefused):
    """The caller exceeded a limit. Retryable after `retry_seconds`."""

    default_code = "HTTP_TOO_MANY_REQUESTS"
    http_status = 429
    retryable = True

    def __init__(self, message: str, retry_seconds: int = 1) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds


class CorrectionOutdated(RequestRefused):
    """The text changed since the preview of the correction."""

    default_code = "HTTP_OUTDATED"
    http_status = 409


class ServerBusy(RequestRefused):
    """The server is overloaded. Retryable."""

    default_code = "HTTP_BUSY"
    http_status = 503
    retryable = True
