"""Errors of the memory capability."""

from __future__ import annotations

from tribal.errors import MemoryRefused, NotFound, RightMissing, ToolInputInvalid


class MemoryRateLimited(MemoryRefused):
    """The caller writes memories too often. Retryable, later."""

    default_code = "MEM_RATE_LIMITED"
    http_status = 429


class MemoryNotFound(NotFound):
    """There is no such memory, or none that the caller may see."""

    default_code = "MEM_NOT_FOUND"


class MemoryInputInvalid(ToolInputInvalid):
    """The input of a tool of memory is not valid."""

    default_code = "MEM_INPUT_INVALID"


class IdentifierMissing(MemoryInputInvalid):
    """A layer was named that the caller has no identifier for."""

    default_code = "MEM_IDENTIFIER_MISSING"


class MemoryContentRefused(MemoryInputInvalid):
    """The content to remember contains a secret."""

    default_code = "MEM_CONTENT_REFUSED"


class MemorySpaceFull(MemoryInputInvalid):
    """A space already has the maximum number of memories."""

    default_code = "MEM_SPACE_FULL"


class MemoryForbidden(RightMissing):
    """The caller may not do that with this layer or memory."""

    default_code = "MEM_ACCESS_DENIED"
