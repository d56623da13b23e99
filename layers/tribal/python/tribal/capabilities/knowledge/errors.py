"""Errors of decisions, policies and syncs."""

from __future__ import annotations

from pydantic import JsonValue

from tribal.errors import NotFound, RightMissing, ToolInputInvalid
from tribal.errors.base import EXIT_LOCKED, EXIT_STORE, EXIT_USAGE, TribalError


class PatternInvalid(TribalError):
    """A pattern of a constraint cannot be read, or would take too long."""

    default_code = "KNW_PATTERN_INVALID"
    exit_code = EXIT_USAGE
    http_status = 400


class NothingPublished(NotFound):
    """No knowledge was synced yet."""

    default_code = "KNW_NOTHING_PUBLISHED"


class KnowledgeFailed(TribalError):
    """A tool of knowledge failed in a way that it did not foresee. Retryable."""

    default_code = "KNW_INTERNAL"
    exit_code = EXIT_STORE
    http_status = 502
    retryable = True


class SyncFailed(KnowledgeFailed):
    """A sync failed in a way that it did not foresee. Retryable."""

    default_code = "SYN_INTERNAL"


class KnowledgeForbidden(RightMissing):
    """The caller has no right to use knowledge."""

    default_code = "KNW_ACCESS_DENIED"


class SyncForbidden(RightMissing):
    """The caller has no right to sync."""

    default_code = "SYN_ACCESS_DENIED"


class SyncInputInvalid(ToolInputInvalid):
    """The input of a tool that syncs is not valid."""

    default_code = "SYN_INPUT_INVALID"


class SyncLocked(TribalError):
    """Another sync is running. Retryable."""

    default_code = "SYN_LOCKED"
    exit_code = EXIT_LOCKED
    http_status = 409
    retryable = True


class SyncTimedOut(TribalError):
    """A sync is not done yet; the next one resumes it. Retryable."""

    default_code = "SYN_TIMED_OUT"
    exit_code = EXIT_STORE
    http_status = 504
    retryable = True


class KnowledgeInputInvalid(ToolInputInvalid):
    """The input of a tool of knowledge is not valid."""

    default_code = "KNW_INPUT_INVALID"


class KnowledgeNotFound(NotFound):
    """There is no such item of knowledge, or none that the caller may see.

    Args:
        message: which item was requested.
        details: the same as data, with near misses.
    """

    default_code = "KNW_NOT_FOUND"

    def __init__(self, message: str, details: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message)
        self.context = details
