"""The index of memories: a live projection of the objects that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tribal.ports.remembering.identity import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal_contracts.memory import MemoryRecord


@dataclass(frozen=True, slots=True)
class IndexedMemory:
    """A memory, and what it is found by."""

    space: Space
    record: MemoryRecord
    terms: Sequence[str]
    """Stemmed words, with repetitions."""
    vector: NDArray[Any] | None = None
    """L2-normalised; `None` for a text that the model has no vector for."""
    tables: Sequence[str] = ()
    """The fully qualified names of the tables that it is about."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that a search found."""

    space: Space
    record: MemoryRecord
    score: float
    """By words BM25, comparable within one answer; by a vector the cosine."""


class MemoryIndex(Protocol):
    """Finds memories; thread-safe, and shared by processes: what one has written the next call of any finds.

    Every search names the spaces that it may look into, and tells of no other. Nothing but a search by words depends on
    how many memories other spaces have.

    Raises, from every method: `MemoryStoreFailed`, `MemoryTimedOut`.
    """

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others by space and id; each as often as one likes.

        Raises:
            MemoryRefused: when a space would hold more than the index takes (`MEM_SPACE_FULL`).
            MemoryConflict: when others change the same all the time.
        """
        ...

    def by_words(
        self, spaces: Sequence[Space], terms: Sequence[str], limit: int, tags: Sequence[str] = ()
    ) -> list[FoundMemory]:
        """Memories that share a term, the best first; with tags those that have one of them, case-folded."""
        ...

    def by_vector(
        self, spaces: Sequence[Space], vector: NDArray[Any], limit: int, tags: Sequence[str] = ()
    ) -> list[FoundMemory]:
        """Memories by cosine, the nearest first; with tags those that have one of them, case-folded."""
        ...

    def about_tables(self, spaces: Sequence[Space], tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables, in no order, with the score 0."""
        ...

    def of_spaces(self, spaces: Sequence[Space], memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids, with the score 0."""
        ...

    def count(self, space: Space) -> int:
        """How many memories a space has, expired ones included."""
        ...

    def clear(self, spaces: Sequence[Space] | None = None) -> None:
        """Throw all away, or what there is of some spaces, even what cannot be read; it can be built anew."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
