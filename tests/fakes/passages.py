"""Passages in memory: an index that a test fills, and an embedder that a test directs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.errors import EmbeddingFailed
from tribal.naming import index_terms
from tribal.ports.passages import PassageIndex, PassageMatch
from tribal_contracts.chat.collections import EmbeddingRecord, Passage, PassageIndexPointer, StoredPassage

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE = "a" * 64


def passage(text: str, number: int = 0, filename: str = "manual.pdf", page: int = 1) -> Passage:
    """A passage of a file."""
    return Passage(number=number, text=text, source_filename=filename, page_number=page, course_id="handbook")


@dataclass
class DirectedEmbedder:
    """Gives texts the vectors that a test chose, and every other text one that is like no other."""

    dimensions: int = 4
    model: str = "test/vectors"
    vectors: dict[str, Sequence[float]] = field(default_factory=dict)
    fails: bool = False
    calls: int = 0

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        self.calls += 1
        if self.fails:
            raise EmbeddingFailed("the server does not answer")
        other = [0.0] * (self.dimensions - 1) + [1.0]
        found: NDArray[Any] = np.array([self.vectors.get(text, other) for text in texts], np.float32)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found

    def worst_usd(self, _characters: int) -> float:
        return 0.0


class MemoryPassages:
    """A `PassageIndex` over a few passages, each with a vector."""

    def __init__(
        self, passages: Sequence[Passage], vectors: Sequence[Sequence[float]] | None = None, source: str = SOURCE
    ) -> None:
        self._passages = passages
        self._source = source
        rows = vectors if vectors is not None else [[1.0, 0.0, 0.0, 0.0]] * len(passages)
        self._vectors: NDArray[Any] = np.array(rows, np.float32)
        self.embedding = EmbeddingRecord(model="test/vectors", dimensions=4)

    @property
    def pointer(self) -> PassageIndexPointer:
        return PassageIndexPointer(
            content_hash="0" * 64,
            size_bytes=0,
            sources=[self._source],
            passages=len(self._passages),
            embedding=self.embedding,
        )

    def nearest(self, vector: NDArray[Any], sources: Collection[str], limit: int) -> list[PassageMatch]:
        if self._source not in sources:
            return []
        distances = ((self._vectors - vector) ** 2).sum(axis=1)
        order = np.argsort(distances, kind="stable")[:limit]
        return [PassageMatch(self._source, self._passages[at], float(distances[at])) for at in order]

    def containing(self, terms: Sequence[str], sources: Collection[str], limit: int) -> list[PassageMatch]:
        if self._source not in sources:
            return []
        found = []
        for each in self._passages:
            matched = frozenset(terms) & frozenset(index_terms(each.text))
            if matched:
                found.append(PassageMatch(self._source, each, None, float(len(matched)), matched))
        return sorted(found, key=lambda match: (-match.score, match.passage.number))[:limit]

    def term_counts(self, terms: Sequence[str]) -> dict[str, int]:
        counts = {term: sum(term in index_terms(each.text) for each in self._passages) for term in terms}
        return {term: count for term, count in counts.items() if count}


class MemoryIndexes:
    """`PassageIndexes` with what a test puts there; an exception is raised."""

    def __init__(self, indexes: dict[str, PassageIndex | Exception] | None = None) -> None:
        self.indexes = indexes or {}

    def current(self, collection: str) -> PassageIndex | None:
        found = self.indexes.get(collection)
        if isinstance(found, Exception):
            raise found
        return found

    def publish(
        self, collection: str, passages: Iterable[tuple[str, StoredPassage]], embedding: EmbeddingRecord
    ) -> PassageIndexPointer:
        raise NotImplementedError

    def close(self) -> None:
        pass
