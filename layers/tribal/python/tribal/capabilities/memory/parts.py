"""The parts of the application that memory needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.ports.application import Provider
from tribal.ports.remembering.audit import AuditLog, discard

if TYPE_CHECKING:
    from tribal.ports.remembering.memory_index import MemoryIndex
    from tribal_contracts import MemorySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParts:
    """The index of memories, and the rules for writing them."""

    index: Provider[MemoryIndex]
    recover: Callable[[], None] = lambda: None
    """Brings the index in line with the stored memories after a process was killed; called before each use."""
    settings: MemorySettings | None = None
    """`None` for the defaults."""
    audit: AuditLog = discard
    """Called for every write of a memory."""
    limits_writes: bool = True
    """Whether the rate of writes is limited per caller; not for commands."""

    def ready_index(self) -> MemoryIndex:
        """The index, in line with the stored memories."""
        self.recover()
        return self.index()

    def close(self) -> None:
        """Close the index, if it was opened."""
        if self.index.made:
            self.index().close()
