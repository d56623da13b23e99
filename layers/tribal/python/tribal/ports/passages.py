"""The passages of collections: reading files, turning texts into vectors, and searching."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal_contracts.chat.collections import (
        EmbeddingRecord,
        FileKind,
        Passage,
        PassageIndexPointer,
        StoredPassage,
    )


@dataclass(frozen=True, slots=True)
class PassageMatch:
    """A passage that was found."""

    source_id: str
    passage: Passage
    distance: float | None = None
    """Squared L2 distance of the vectors; `None` where it was found by words alone."""
    score: float = 0.0
    """BM25 of the words; 0 where it was found by meaning alone."""
    matched: frozenset[str] = frozenset()
    """The terms of the query that it contains."""


class PassageIndex(Protocol):
    """One published generation of a collection's passages; thread-safe.

    Raises, from every method: `IndexNotReady` when it cannot be read.
    """

    @property
    def pointer(self) -> PassageIndexPointer:
        """What it was built from."""
        ...

    def nearest(self, vector: NDArray[Any], sources: Collection[str], limit: int) -> list[PassageMatch]:
        """The passages of some files whose vectors are nearest, by squared L2 distance; ties by file and number.

        Args:
            vector: D float32, of length 1.
            sources: ids of the files that the caller may see.
            limit: the most passages.
        """
        ...

    def containing(self, terms: Sequence[str], sources: Collection[str], limit: int) -> list[PassageMatch]:
        """The passages of some files that contain a term, best first by BM25; ties by file and number.

        Args:
            terms: as `tribal.naming.query_terms` makes them.
            sources: ids of the files that the caller may see.
            limit: the most passages.
        """
        ...

    def term_counts(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many passages each term occurs; terms that occur in none are left out."""
        ...


class PassageIndexes(Protocol):
    """The indexes of all collections, published in the store."""

    def current(self, collection: str) -> PassageIndex | None:
        """The current generation; `None` if nothing was ever published.

        Raises:
            IndexNotReady: when it cannot be read.
        """
        ...

    def publish(
        self, collection: str, passages: Iterable[tuple[str, StoredPassage]], embedding: EmbeddingRecord
    ) -> PassageIndexPointer:
        """Build and publish a generation; equal passages give equal bytes.

        Args:
            collection: its name.
            passages: with the ids of their files, ordered by file and number.
            embedding: what made the vectors.

        Raises:
            IndexWriteFailed: when it cannot be published.
            StoreUnwritable: when the disk refuses a write.
        """
        ...

    def close(self) -> None:
        """Close files; the next read opens them again."""
        ...


class TextEmbedder(Protocol):
    """Turns texts into vectors, in this process or on a server."""

    @property
    def model(self) -> str:
        """Name of the model, recorded with a collection."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised.

        Raises:
            EmbeddingFailed: when a server does not answer, refuses, or the money is spent.
        """
        ...

    def worst_usd(self, characters: int) -> float:
        """The most that embedding so many characters can cost; 0 in this process."""
        ...


ParseProblem = Literal["encrypted", "unreadable", "too_slow", "too_large", "too_many_pages", "not_installed"]


class ParsingFailed(Exception):
    """A file cannot be read; the message says why, without its text."""

    def __init__(self, problem: ParseProblem, message: str) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What reading one file may take."""

    pages: int
    seconds: float
    memory_mb: int


class DocumentParser(Protocol):
    """Reads the text of files, each in a process of its own that is killed at its limits."""

    def pages(self, file: Path, kind: FileKind, limits: ParseLimits, first: int = 1) -> Iterator[str]:
        """The text of each page from page `first` on, in order; a file without pages has one.

        Closing the iterator ends the process.

        Raises:
            ParsingFailed: when it cannot be read, or at a limit.
        """
        ...
