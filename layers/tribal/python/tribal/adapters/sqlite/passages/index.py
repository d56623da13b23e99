"""One generation of a collection's passages for readers: words by BM25, vectors compared in memory."""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.adapters.sqlite.passages import file as passage_file
from tribal.adapters.sqlite.passages.file import COUNT, LENGTH, POSITION
from tribal.adapters.sqlite.schema import READ_ERRORS, distinct_terms, encode_term
from tribal.errors import IndexNotReady
from tribal.ports.index.reader import MatchedTerms
from tribal.ports.passages import PassageMatch
from tribal_contracts.chat.collections import Passage, PassageIndexPointer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 6
"""Distances and scores are rounded, so that the order in which a machine adds numbers decides nothing."""
_K1, _B = 1.2, 0.75
"""The usual parameters of BM25, as in FTS5."""
_SLACK = 1e-4
"""Far more than a product of float32 vectors of length 1 can be wrong."""


class SqlitePassageIndex:
    """Reads one file, which stays open until this object is no longer used; thread-safe.

    Args:
        path: of the file.
        pointer: what it was built from.
    """

    def __init__(self, path: Path, pointer: PassageIndexPointer) -> None:
        self._path = path
        self._pointer = pointer
        self._lock = threading.Lock()
        self._vectors: NDArray[Any] | None = None
        self._norms: NDArray[Any] | None = None
        self.is_damaged = False
        """Whether the file could not be read. It is removed then, to be fetched again."""
        with self._reading():
            self._connection = passage_file.connect(path)
            weakref.finalize(self, self._connection.close)
            self._files = self._connection.execute(
                "SELECT source_id, source_filename, course_id, first, passages FROM files ORDER BY first"
            ).fetchall()
            counts = [each[4] for each in self._files]
            self._file_of = np.repeat(np.arange(len(self._files), dtype=np.int32), counts)
            if len(self._file_of) != pointer.passages:
                raise ValueError("passages are missing")

    @property
    def pointer(self) -> PassageIndexPointer:
        """What it was built from."""
        return self._pointer

    def nearest(self, vector: NDArray[Any], sources: Collection[str], limit: int) -> list[PassageMatch]:
        """The passages whose vectors are nearest; the squared distance of vectors of length 1 is 2 - 2 cos."""
        query = np.asarray(vector, np.float32).ravel()
        dimensions = self._pointer.embedding.dimensions
        if len(query) != dimensions:
            raise IndexNotReady(f"the index has vectors of {dimensions} dimensions, but the question has {len(query)}")
        allowed = self._allowed(sources)
        if limit <= 0 or not allowed.any():
            return []
        vectors = self._matrix()
        cosines = vectors @ query
        cosines[~allowed] = -np.inf
        count = min(limit, int(np.count_nonzero(allowed)))
        edge = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        near = np.flatnonzero(cosines >= edge - _SLACK)
        exact = vectors[near].astype(np.float64) @ query.astype(np.float64)
        distances = np.maximum(np.round(2 - 2 * exact, _DIGITS), 0.0)
        order = np.lexsort((near, distances))[:count]
        return [
            PassageMatch(source_id, passage, distance=float(distance))
            for (source_id, passage), distance in zip(self._passages(near[order]), distances[order], strict=True)
        ]

    def containing(self, terms: Sequence[str], sources: Collection[str], limit: int) -> list[PassageMatch]:
        """The passages that contain a term; scores of terms add up."""
        wanted = distinct_terms(terms)
        scores, held = np.zeros(len(self._file_of)), np.zeros(len(self._file_of), np.uint64)
        for bit, (places, counts) in enumerate(self._places(wanted)):
            scores[places] += self._scores(places, counts)
            held[places] |= np.uint64(1 << bit)
        found = np.flatnonzero(np.where(self._allowed(sources), held, 0))
        rounded = np.round(scores[found], _DIGITS)
        if len(found) > limit > 0:
            # All at the edge stay, so that ties there are broken by the order of passages.
            kept = rounded >= np.partition(rounded, len(found) - limit)[len(found) - limit]
            found, rounded = found[kept], rounded[kept]
        order = np.lexsort((found, -rounded))[: max(0, limit)]
        matched = MatchedTerms(wanted, held[found[order]])
        return [
            PassageMatch(source_id, passage, score=float(score), matched=matched[place])
            for place, ((source_id, passage), score) in enumerate(
                zip(self._passages(found[order]), rounded[order], strict=True)
            )
        ]

    def term_counts(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many passages each term occurs."""
        wanted = distinct_terms(terms)
        counts = (len(places) for places, _ in self._places(wanted))
        return {term: count for term, count in zip(wanted, counts, strict=True) if count}

    def _allowed(self, sources: Collection[str]) -> NDArray[Any]:
        """Whether each passage belongs to one of these files."""
        wanted = set(sources)
        of_file: NDArray[Any] = np.array([each[0] in wanted for each in self._files], dtype=bool)
        return of_file[self._file_of] if self._files else np.zeros(0, dtype=bool)

    def _places(self, terms: Sequence[str]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """The passages that contain each term, and how often each does."""
        query = "SELECT places, counts FROM terms WHERE term = ?"
        with self._reading(), self._lock:
            rows = [self._connection.execute(query, (encode_term(term),)).fetchone() or (b"", b"") for term in terms]
            return [(np.frombuffer(row[0], POSITION), np.frombuffer(row[1], COUNT)) for row in rows]

    def _scores(self, places: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
        """BM25 of one term in the passages that contain it."""
        total, found = len(self._file_of), len(places)
        weight = math.log(1 + (total - found + 0.5) / (found + 0.5))
        saturation = counts + self._length_norms()[places]
        scores: NDArray[Any] = weight * (_K1 + 1) * counts / saturation
        return scores

    def _length_norms(self) -> NDArray[Any]:
        """For each passage, what its length adds to the counts of terms; read by the first call."""
        with self._reading(), self._lock:
            if self._norms is None:
                rows = self._connection.execute("SELECT lengths FROM vectors ORDER BY first").fetchall()
                lengths = np.frombuffer(b"".join(row[0] for row in rows), LENGTH)
                mean = lengths.mean() if lengths.any() else 1.0
                self._norms = _K1 * (1 - _B + _B * lengths / mean)
            return self._norms

    def _matrix(self) -> NDArray[Any]:
        """All vectors, N x D float32, read by the first call."""
        with self._reading(), self._lock:
            if self._vectors is None:
                vectors = np.empty((len(self._file_of), self._pointer.embedding.dimensions), np.float32)
                for first, blob in self._connection.execute("SELECT first, vectors FROM vectors"):
                    some = np.frombuffer(blob, "<f4").reshape(-1, vectors.shape[1])
                    vectors[first : first + len(some)] = some
                self._vectors = vectors
            return self._vectors

    def _passages(self, positions: NDArray[Any]) -> list[tuple[str, Passage]]:
        with self._reading(), self._lock:
            return [self._passage(int(position)) for position in positions]

    def _passage(self, position: int) -> tuple[str, Passage]:
        source_id, filename, course_id, *_ = self._files[self._file_of[position]]
        number, page, text = self._connection.execute(
            "SELECT number, page, text FROM passages WHERE place = ?", (position,)
        ).fetchone()
        return source_id, Passage(
            number=number, text=text, source_filename=filename, page_number=page, course_id=course_id
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (*READ_ERRORS, OSError, ValueError, TypeError) as error:
            self.is_damaged = True
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            raise IndexNotReady(f"the index {self._path.name!r} cannot be read: {error}; try again") from error
