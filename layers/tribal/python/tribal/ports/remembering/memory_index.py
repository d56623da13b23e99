"""The index of memories, a projection of the stored memories."""

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
    """A memory with its search terms and vector."""

    space: Space
    record: MemoryRecord
    terms: Sequence[str]
    """Stemmed words, with repetitions, without line breaks."""
    vector: NDArray[Any] | None = None
    """L2-normalised; `None` if the model has no vector for the text."""
    tables: Sequence[str] = ()
    """Names of its tables; callers who may see none of them do not see the memory."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that a search found."""

    space: Space
    record: MemoryRecord
    score: float
    """BM25 for words, comparable within one answer; cosine for vectors."""
    terms: Sequence[str] = ()
    """As indexed."""
    vector: NDArray[Any] | None = None
    """As indexed, L2-normalised, with float16 precision."""


class MemoryIndex(Protocol):
    """Finds memories. Thread-safe and shared by processes: a write is visible to the next call of any process.

    Neither hits nor scores of a search depend on memories outside of its selection, except that some indexes count word
    frequencies over all spaces.

    Raises, from every method: `MemoryStoreFailed`, `MemoryTimedOut`.
    """

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add or replace memories, and remove others by space and id; idempotent.

        Raises:
            MemoryRefused: when a space would hold more than the index takes (`MEM_SPACE_FULL`).
            MemoryConflict: when concurrent changes keep conflicting.
        """
        ...

    def by_words(self, wanted: MemorySelection, terms: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that share a term, best first."""
        ...

    def by_vector(self, wanted: MemorySelection, vector: NDArray[Any], limit: int) -> list[FoundMemory]:
        """Memories by cosine, nearest first."""
        ...

    def about_tables(self, wanted: MemorySelection, tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories about one of the tables, in no order, with score 0."""
        ...

    def of_spaces(self, wanted: MemorySelection, memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those with these ids, with score 0."""
        ...

    def count(self, wanted: MemorySelection) -> int:
        """Number of memories."""
        ...

    def is_empty(self) -> bool:
        """Whether it has no memories, or was lost."""
        ...

    def close(self) -> None:
        """Release open resources."""
        ...
