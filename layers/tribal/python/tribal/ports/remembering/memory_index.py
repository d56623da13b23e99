"""The index of memories: a live projection of the objects that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tribal.catalog.scope import EVERYTHING, Scope
from tribal.ports.remembering.identity import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal_contracts.memory import MemoryRecord

Place = tuple[str, str]
"""A database and a schema."""
NOWHERE: Place = ("", "")


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
    places: Sequence[Place] = ()
    """Where those tables are; `NOWHERE` for a name that does not tell."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories may be found at all; of others nothing is told."""

    spaces: Sequence[Space]
    scope: Scope = EVERYTHING
    """Where one of the tables of a memory has to be; a memory that names no table is anywhere."""
    used_after: str = ""
    """A session's memory that was last used then or before has ended, as an ISO timestamp in UTC."""
    tags: Sequence[str] = ()
    """Of which it has one, whatever the case; all memories if there are none."""

    def is_seen(self, places: Iterable[Place]) -> bool:
        """Whether the caller may see a memory whose tables are there."""
        several = list(places)
        return not several or any(self.scope.allows(*place) for place in several)

    def has_ended(self, record: MemoryRecord) -> bool:
        """Whether a memory has ended with its session."""
        return record.layer == "session" and record.used_at <= self.used_after

    def has_tag(self, folded: Iterable[str]) -> bool:
        """Whether case-folded tags are among those wanted."""
        return not self.tags or not self.folded_tags.isdisjoint(folded)

    @property
    def folded_tags(self) -> frozenset[str]:
        """The tags as they are compared."""
        return frozenset(tag.casefold() for tag in self.tags)


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
    """As it was written, in half precision."""


class MemoryIndex(Protocol):
    """Finds memories; thread-safe, and shared by processes: what one has written the next call of any finds.

    Every search keeps to what is wanted, and tells of nothing else. Nothing but a search by words depends on how many
    memories there are besides.

    Raises, from every method: `MemoryStoreFailed`, `MemoryTimedOut`.
    """

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others by space and id; each as often as one likes.

        Raises:
            MemoryRefused: when a space would hold more than the index takes (`MEM_SPACE_FULL`).
            MemoryConflict: when others change the same all the time.
        """
        ...

    def by_words(self, wanted: Wanted, terms: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that share a term, the best first."""
        ...

    def by_vector(self, wanted: Wanted, vector: NDArray[Any], limit: int) -> list[FoundMemory]:
        """Memories by cosine, the nearest first."""
        ...

    def about_tables(self, wanted: Wanted, tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables, in no order, with the score 0."""
        ...

    def of_spaces(self, wanted: Wanted, memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids, with the score 0."""
        ...

    def count(self, space: Space) -> int:
        """How many memories a space has, those included that have ended."""
        ...

    def clear(self, spaces: Sequence[Space] | None = None) -> None:
        """Throw all away, or what there is of some spaces, even what cannot be read; it can be built anew."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
