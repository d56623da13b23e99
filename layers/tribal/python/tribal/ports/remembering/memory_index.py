"""The index of memories: a live projection of the objects that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.selection import MemorySelection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal_contracts.memory import MemoryRecord


@dataclass(frozen=True, slots=True)
class IndexedMemory:
    """A memory, and what it is found by."""

    space: Space
    record: MemoryRecord
    terms: Sequence[str]
    """Stemmed words, with repetitions; no line breaks in them."""
    vector: NDArray[Any] | None = None
    """L2-normalised; `None` for a text that the model has no vector for."""
    tables: Sequence[str] = ()
    """Names of the tables that it is about; whoever may see none of them does not see it."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that a search found."""

    space: Space
    record: MemoryRecord
    score: float
    """By words BM25, comparable within one answer; by a vector the cosine."""
    terms: Sequence[str] = ()
    """As they were written."""
    vector: NDArray[Any] | None = None
    """As it was written, L2-normalised, to the precision of float16."""


class MemoryIndex(Protocol):
    """Finds memories; thread-safe, and shared by processes: what one has written the next call of any finds.

    Every search says what it may look at, and tells of nothing else: neither its hits nor their scores depend on other
    memories, but for those by words where an index counts words over all spaces.

    Raises, from every method: `MemoryStoreFailed`, `MemoryTimedOut`.
    """

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others by space and id; each as often as one likes.

        Raises:
            MemoryRefused: when a space would hold more than the index takes (`MEM_SPACE_FULL`).
            MemoryConflict: when others change the same all the time.
        """
        ...

    def by_words(self, wanted: MemorySelection, terms: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that share a term, the best first."""
        ...

    def by_vector(self, wanted: MemorySelection, vector: NDArray[Any], limit: int) -> list[FoundMemory]:
        """Memories by cosine, the nearest first."""
        ...

    def about_tables(self, wanted: MemorySelection, tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables, in no order, with the score 0."""
        ...

    def of_spaces(self, wanted: MemorySelection, memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids, with the score 0."""
        ...

    def count(self, wanted: MemorySelection) -> int:
        """How many memories there are."""
        ...

    def is_empty(self) -> bool:
        """Whether it has no memory at all, or was lost."""
        ...

    def clear(self, spaces: Sequence[Space] | None = None) -> None:
        """Throw all away, or what there is of some spaces, even what cannot be read; it can be built anew."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
