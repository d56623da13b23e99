"""Memories that point to decisions and policies. Syncing writes them; memory stores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tribal.ports.remembering.identity import Space
from tribal_contracts.memory import MemoryLayer


def space_of_item(layer: str, owner: str) -> Space:
    """The space of memories that a decision or policy belongs to."""
    return Space(layer, ((layer, owner),))


@dataclass(frozen=True, slots=True)
class Pointer:
    """A memory that points to a decision or policy."""

    id: str
    """Of the item that it points to."""
    layer: MemoryLayer
    owner: str
    text: str
    tags: Sequence[str]
    tables: Sequence[str]
    author: str
    created_at: str
    updated_at: str

    @property
    def space(self) -> Space:
        """The space of memories that it is written to."""
        return space_of_item(self.layer, self.owner)


class PointerWriter(Protocol):
    """Writes and removes pointers for one caller. Every call may be repeated.

    Raises `MemoryRefused` when the store or the index does not respond.
    """

    def write(self, pointers: Sequence[Pointer]) -> None:
        """Add pointers, or replace the ones to the same items."""
        ...

    def remove(self, items: Sequence[tuple[Space, str]]) -> None:
        """Remove pointers by space and id of the item; those that do not exist are ignored."""
        ...

    def expire(self) -> int:
        """Remove the memories of sessions that have ended; returns how many."""
        ...
