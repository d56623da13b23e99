"""The errors of decisions and policies; their place in the tree is told in `kinds`."""

from __future__ import annotations

from pydantic import JsonValue

from tribal.errors.kinds import NotFound, RightMissing, ToolInputInvalid, TribalError


class PatternInvalid(TribalError):
    """A pattern of a constraint cannot be read, or would take too long."""


class ItemUnusable(TribalError):
    """A file of knowledge is no item; the message says what to do, without the file.

    Args:
        message: what is wrong.
        line: where, counted from 1, if that is known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class SourceFailed(TribalError):
    """Where knowledge is kept cannot be read, is too large or takes too long. Retryable."""


class NothingPublished(NotFound):
    """No knowledge was synced yet."""


class KnowledgeFailed(TribalError):
    """A tool of knowledge failed in a way that it did not foresee. Retryable."""


class SyncFailed(KnowledgeFailed):
    """A sync failed in a way that it did not foresee. Retryable."""


class KnowledgeForbidden(RightMissing):
    """The caller has no right to use knowledge."""


class SyncForbidden(RightMissing):
    """The caller has no right to sync."""


class SyncInputInvalid(ToolInputInvalid):
    """The input of a tool that syncs is not valid."""


class SyncLocked(TribalError):
    """Another sync is running. Retryable."""


class SyncTimedOut(TribalError):
    """A sync is not done yet; the next one goes on with it. Retryable."""


class KnowledgeInputInvalid(ToolInputInvalid):
    """The input of a tool of knowledge is not valid."""


class KnowledgeNotFound(NotFound):
    """There is no such item of knowledge, or none that the caller may see.

    Args:
        message: what was asked for.
        details: the same as data, with near misses.
    """

    def __init__(self, message: str, details: dict[str, JsonValue] | None = None) -> None:
        super().__init__(message)
        self.context = details
