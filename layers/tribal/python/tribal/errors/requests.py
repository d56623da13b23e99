"""Refusals of HTTP requests, before they reach a tool."""

from __future__ import annotations

from tribal.errors.base import EXIT_NOT_FOUND, EXIT_USAGE, TribalError


class RequestRefused(TribalError):
    """A request over HTTP was refused before it reached a tool."""

    default_code = "HTTP_REQUEST_INVALID"
    exit_code = EXIT_USAGE
    http_status = 400


class CallerUnknown(RequestRefused):
    """The request bears no token that admits it; the message tells nothing of the token."""

    default_code = "HTTP_CALLER_UNKNOWN"
    http_status = 401


class OriginRefused(RequestRefused):
    """The request comes from a page of another site."""

    default_code = "HTTP_ORIGIN_REFUSED"
    http_status = 403


class HostRefused(RequestRefused):
    """The request is addressed to a name that the server does not go by, as after DNS rebinding."""

    default_code = "HTTP_HOST_REFUSED"
    http_status = 421


class PathUnknown(RequestRefused):
    """There is nothing at the path of the request."""

    default_code = "HTTP_NOT_FOUND"
    exit_code = EXIT_NOT_FOUND
    http_status = 404


class MethodRefused(RequestRefused):
    """The path has no such method."""

    default_code = "HTTP_METHOD_REFUSED"
    http_status = 405


class AnswerTypeRefused(RequestRefused):
    """The request accepts no type of answer that there is."""

    default_code = "HTTP_NOT_ACCEPTABLE"
    http_status = 406


class BodyTypeRefused(RequestRefused):
    """The body is of a type that is not read."""

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


class IdentifierRefused(RequestRefused):
    """A request chooses an identifier that is none of its caller's."""

    default_code = "HTTP_IDENTIFIER_REFUSED"
    http_status = 403


class TooManyRequests(RequestRefused):
    """The caller asks too often. Retryable, later."""

    default_code = "HTTP_TOO_MANY_REQUESTS"
    http_status = 429
    retryable = True


class CorrectionOutdated(RequestRefused):
    """What a correction would change is not any more what was looked at."""

    default_code = "HTTP_OUTDATED"
    http_status = 409


class ServerBusy(RequestRefused):
    """Too much is being done already. Retryable."""

    default_code = "HTTP_BUSY"
    http_status = 503
    retryable = True
