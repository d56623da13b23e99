"""Who changed which memory when: told of every write, without a word of what is remembered."""

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
    """Who did it."""
    act: Act
    layer: str
    space: str
    """The name of its folder, below `memory/`."""
    memory_id: str


AuditLog = Callable[[MemoryWrite], None]


def unheard(write: MemoryWrite) -> None:
    """Where nobody keeps a log."""
