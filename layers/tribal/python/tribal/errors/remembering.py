"""The errors of memory; their place in the tree is told in `kinds`."""

from __future__ import annotations

from tribal.errors.kinds import NotFound, RightMissing, ToolInputInvalid, TribalError


class MemoryRefused(TribalError):
    """A tool of memory cannot do what it was asked for."""


class MemoryConflict(MemoryRefused):
    """Somebody else changed a memory at the same time. Retryable."""


class MemoryRateLimited(MemoryRefused):
    """The caller writes memories too often. Retryable, later."""


class MemoryStoreFailed(MemoryRefused):
    """The store or the index of memories did not answer, or refused. Retryable."""


class MemoryTimedOut(MemoryRefused):
    """The store or the index of memories took too long. Retryable."""


class MemoryNotFound(NotFound):
    """There is no such memory, or none that the caller may see."""


class MemoryInputInvalid(ToolInputInvalid):
    """The input of a tool of memory is not valid."""


class IdentifierMissing(MemoryInputInvalid):
    """A layer was named that the caller has no identifier for."""


class MemoryContentRefused(MemoryInputInvalid):
    """What was to be remembered holds a secret."""


class MemorySpaceFull(MemoryInputInvalid):
    """A space holds as many memories as it may."""


class MemoryForbidden(RightMissing):
    """The caller may not do that with this layer or memory."""
