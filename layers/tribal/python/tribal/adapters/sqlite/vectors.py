"""Vectors of one kind, held in memory and searched exhaustively: fast enough on a laptop.

A survey preselects vectors near a query by the directions in which the vectors differ most. Comparing is bound by
memory bandwidth: a quarter of the numbers takes a quarter of the time. The preselected vectors are compared in full.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.adapters.sqlite.places import Places
from tribal.ports import Candidates, IndexFilter, VectorKind
from tribal.ranking.distinct import first_positions

if TYPE_CHECKING:
    from numpy.typing import NDArray


FLOAT32_ROWS = 100_000
"""Above this many vectors, they stay float16 in memory, which halves it, and are widened in chunks.

This many float32 vectors of 256 dimensions take 102 MB.
"""

SURVEYED = 4
"""Multiple of the requested number of vectors that a survey preselects."""
FAR_MORE = 32
"""Multiple of the requested number of vectors from which a survey pays."""

FEW_COLUMNS = 20_000
"""Up to this many columns are compared whole; of more those that a survey finds near for their table."""
SURVEYED_TABLES = 1.5
"""Multiple of the requested number of tables whose columns are compared whole."""
SLACK = 0.03
"""How far behind the nearest column of its table, by a survey, one may be that is compared whole too."""

_ROWS_AT_ONCE = 16_384
_FILES_AT_ONCE = 64
_SCORE_DIGITS = 6
_ID, _STORED = np.dtype("<i8"), np.dtype("<f2")

_SELECT = """
SELECT v.ids, v.table_ids, v.vectors, o.database_name, v.schema_name, o.domain
FROM vectors v JOIN origins o ON o.number = v.origin WHERE v.kind = ?
"""


@dataclass(slots=True)
class VectorRow:
    """The vectors of one file and kind as one row: reading a row per vector would take longer than comparing.

    Stored as little-endian float16; zero vectors match nothing and are left out.
    """

    ids: list[int] = field(default_factory=list)
    table_ids: list[int] = field(default_factory=list)
    vectors: list[NDArray[Any]] = field(default_factory=list)

    def add(self, record: int, table: int | None, vector: NDArray[Any]) -> None:
        """Add the vector of a record."""
        if vector.any():
            self.ids.append(record)
            self.table_ids.append(table or 0)
            self.vectors.append(vector)

    def blobs(self) -> tuple[bytes, bytes, bytes]:
        """The columns of the row: record ids, table ids and vectors."""
        vectors = np.array(self.vectors).astype(_STORED)
        return np.array(self.ids, _ID).tobytes(), np.array(self.table_ids, _ID).tobytes(), vectors.tobytes()


def without_records(connection: sqlite3.Connection, origin: int, ids: Collection[int]) -> None:
    """Remove the vectors of records from their file's rows, within the caller's transaction."""
    found = connection.execute("SELECT rowid, ids, table_ids, vectors FROM vectors WHERE origin = ?", (origin,))
    for row, *blobs in found.fetchall():
        pin = ~np.isin(np.frombuffer(blobs[0], _ID), list(ids))
        if pin.all():
            continue
        kept = [np.frombuffer(blob, np.uint8).reshape(len(pin), -1)[pin].tobytes() for blob in blobs]
        if pin.any():
            connection.execute("UPDATE vectors SET ids = ?, table_ids = ?, vectors = ? WHERE rowid = ?", (*kept, row))
        else:
            connection.execute("DELETE FROM vectors WHERE rowid = ?", (row,))


def count_vectors(connection: sqlite3.Connection) -> int:
    """The total number of vectors."""
    (size,) = connection.execute("SELECT coalesce(sum(length(ids)), 0) FROM vectors").fetchone()
    return int(size) // _ID.itemsize


@dataclass(frozen=True)
class VectorMatrix:
    """All vectors of one kind."""

    ids: NDArray[Any]
    table_ids: NDArray[Any]
    """0 where a record belongs to no table."""
    vectors: NDArray[Any]
    """N x D, float32 or float16."""
    places: Places

    def nearest(
        self,
        vector: NDArray[Any],
        where: IndexFilter,
        limit: int,
        *,
        without: NDArray[Any] | None = None,
        only: NDArray[Any] | None = None,
    ) -> Candidates:
        """The records nearest to the vector by cosine similarity, best first, ties by id.

        Args:
            vector: D numbers.
            where: the records that may be found.
            limit: the most that are found.
            without: ids of records that may not.
            only: if given, ids of the only records that may.
        """
        query = self._comparable(vector)
        if query is None or limit <= 0:
            return Candidates.of(())
        chosen = self._chosen(where, without, only)
        if chosen is None and len(self.ids) > FAR_MORE * limit:
            chosen = self._surveyed(query, SURVEYED * limit)
        scores = _rounded(self._products(query, chosen))
        if len(scores) > limit:
            # Keep everything at or above the cut-off score, so that ties there are broken by id.
            edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            kept = np.flatnonzero(scores >= edge)
            chosen, scores = kept if chosen is None else chosen[kept], scores[kept]
        ids, table_ids = (self.ids, self.table_ids) if chosen is None else (self.ids[chosen], self.table_ids[chosen])
        order = np.lexsort((ids, -scores))[:limit]
        return Candidates(ids[order], scores[order], table_ids[order])

    def nearest_of_each_table(
        self, vector: NDArray[Any], where: IndexFilter, limit: int, *, without: NDArray[Any] | None = None
    ) -> Candidates:
        """The nearest record of each table, best first, ties by id; the arguments are those of `nearest`."""
        query = self._comparable(vector)
        if query is None or limit <= 0:
            return Candidates.of(())
        chosen = self._chosen(where, without, None)
        if (len(self.ids) if chosen is None else len(chosen)) > FEW_COLUMNS:
            chosen = self._surveyed_by_table(query, chosen, round(SURVEYED_TABLES * limit))
        scores = self._products(query, chosen)
        if not len(scores):
            return Candidates.of(())
        ids, table_ids = (self.ids, self.table_ids) if chosen is None else (self.ids[chosen], self.table_ids[chosen])
        best = np.flatnonzero(scores >= _best_of_each_run(scores, table_ids) - 10.0**-_SCORE_DIGITS)
        rounded = _rounded(scores[best])
        order = np.lexsort((ids[best], -rounded))
        order = order[first_positions(table_ids[best[order]])[:limit]]
        return Candidates(ids[best[order]], rounded[order], table_ids[best[order]])

    @cached_property
    def _survey(self) -> Survey:
        return Survey.of(self.vectors)

    def _surveyed(self, query: NDArray[Any], count: int) -> NDArray[Any]:
        """Positions of about the nearest vectors."""
        near = self._survey.products(query)
        return np.argpartition(near, len(near) - count)[len(near) - count :]

    def _surveyed_by_table(self, query: NDArray[Any], chosen: NDArray[Any] | None, count: int) -> NDArray[Any]:
        """Positions of about the nearest vectors of each of about the nearest tables, in order."""
        near = self._survey.products(query)
        near = near if chosen is None else near[chosen]
        starts, lengths = self._runs if chosen is None else _runs_of(self.table_ids[chosen])
        least = np.maximum.reduceat(near, starts)
        if len(least) > count:
            edge = np.partition(least, len(least) - count)[len(least) - count]
            least[least < edge] = np.inf
        best = np.flatnonzero(near >= np.repeat(least - SLACK, lengths))
        return best if chosen is None else chosen[best]

    @cached_property
    def _runs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where the vectors of each table begin, and how many there are."""
        return _runs_of(self.table_ids)

    def _comparable(self, vector: NDArray[Any]) -> NDArray[Any] | None:
        """The vector as one that can be compared with these; `None` if it matches nothing."""
        query = np.asarray(vector, dtype=np.float32).ravel()
        return query if len(self.ids) and query.shape[0] == self.vectors.shape[1] and query.any() else None

    def _chosen(
        self, where: IndexFilter, without: NDArray[Any] | None, only: NDArray[Any] | None
    ) -> NDArray[Any] | None:
        chosen = self.places.chosen(where)
        for ids, inside in ((without, False), (only, True)):
            if ids is not None:
                chosen = np.arange(len(self.ids)) if chosen is None else chosen
                chosen = chosen[np.isin(self.ids[chosen], ids, invert=not inside)]
        return chosen

    def _products(self, query: NDArray[Any], chosen: NDArray[Any] | None) -> NDArray[Any]:
        """The product of each vector with the query, which is their cosine except for rounding; widened in chunks."""
        count = len(self.ids) if chosen is None else len(chosen)
        products = np.empty(count, np.float32)
        for start in range(0, count, _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            rows = self.vectors[some if chosen is None else chosen[some]]
            np.matmul(rows.astype(np.float32, copy=False), query, out=products[some])
        return products


def _best_of_each_run(scores: NDArray[Any], keys: NDArray[Any]) -> NDArray[Any]:
    """For each score, the best of those that follow each other under the same key."""
    starts, lengths = _runs_of(keys)
    best: NDArray[Any] = np.repeat(np.maximum.reduceat(scores, starts), lengths)
    return best


def _runs_of(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where each run of the same key begins, and how long it is."""
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return starts, np.diff(np.r_[starts, len(keys)])


def _rounded(scores: NDArray[Any]) -> NDArray[Any]:
    """Cosines rounded so that a machine's order of summation does not break ties."""
    np.round(scores, _SCORE_DIGITS, out=scores)
    np.clip(scores, -1.0, 1.0, out=scores)
    return scores


def best_of(one: Candidates, other: Candidates, limit: int) -> Candidates:
    """The best of two disjoint sets of candidates, ties by id."""
    ids, scores = np.concatenate([one.ids, other.ids]), np.concatenate([one.scores, other.scores])
    order = np.lexsort((ids, -scores))[:limit]
    return Candidates(ids[order], scores[order], np.concatenate([one.table_ids, other.table_ids])[order])


def load_matrix(connection: sqlite3.Connection, kind: VectorKind, dimensions: int) -> VectorMatrix:
    """Read all vectors of one kind that have that many dimensions."""
    total = connection.execute("SELECT coalesce(sum(length(ids)), 0) FROM vectors WHERE kind = ?", (kind,))
    count = int(total.fetchone()[0]) // _ID.itemsize if dimensions else 0
    # Filled in chunks, so that memory never holds a second copy of all vectors.
    kind_of_number = np.float32 if count <= FLOAT32_ROWS else _STORED
    vectors = np.empty((count, dimensions), kind_of_number)
    ids, table_ids, codes = (np.empty(count, np.int64) for _ in range(3))
    places: dict[tuple[str, str | None, str | None], int] = {}
    end, found = 0, connection.execute(_SELECT, (kind,))
    while some := found.fetchmany(_FILES_AT_ONCE) if count else []:
        fitting = [row for row in some if len(row[2]) * _ID.itemsize == dimensions * _STORED.itemsize * len(row[0])]
        joined = [b"".join(row[column] for row in fitting) for column in range(3)]
        start, end = end, end + len(joined[0]) // _ID.itemsize
        ids[start:end], table_ids[start:end] = np.frombuffer(joined[0], _ID), np.frombuffer(joined[1], _ID)
        vectors[start:end] = np.frombuffer(joined[2], _STORED).reshape(-1, dimensions)
        own = [places.setdefault((database, schema, domain), len(places)) for *_, database, schema, domain in fitting]
        codes[start:end] = np.repeat(own, [len(row[0]) // _ID.itemsize for row in fitting])
    return VectorMatrix(ids[:end], table_ids[:end], vectors[:end], Places(codes[:end], tuple(places)))


DIMENSIONS = 48
_SAMPLED = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Vectors by their shares in a few directions.

    Attributes:
        directions: D x K float32, orthonormal.
        shares: N x K float32.
    """

    directions: NDArray[Any]
    shares: NDArray[Any]

    @classmethod
    def of(cls, vectors: NDArray[Any]) -> Survey:
        """The survey of N x D vectors: their first principal directions, not centred, as found on a sample."""
        count, dimensions = vectors.shape
        sample = vectors[:: max(1, count // _SAMPLED)].astype(np.float32)
        _, found = np.linalg.eigh(sample.T @ sample)
        directions = np.ascontiguousarray(found[:, ::-1][:, : min(DIMENSIONS, dimensions)])
        shares = np.empty((count, directions.shape[1]), np.float32)
        for start in range(0, count, _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            np.matmul(vectors[some].astype(np.float32, copy=False), directions, out=shares[some])
        return cls(directions, shares)

    def products(self, query: NDArray[Any]) -> NDArray[Any]:
        """The approximate product of each vector with the query."""
        products: NDArray[Any] = self.shares @ (query @ self.directions)
        return products
