"""A log of who changed which memory and when, without its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Act = Literal["add", "delete", "import", "prune", "sync"]


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """One memory that was written or removed."""

    at: str
    """ISO 8601 in UTC."""
    subject: str
    """The caller who did it."""
    act: Act
    layer: str
    space: str
    """The name of its folder, below `memory/`."""
    memory_id: str


AuditLog = Callable[[MemoryWrite], None]


def discard(write: MemoryWrite) -> None:
    """The default: writes are not logged."""
