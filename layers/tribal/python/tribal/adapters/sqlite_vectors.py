"""Vectors of one kind, held in memory and compared one by one: exact, and fast enough for a laptop."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ports import Candidate, IndexFilter, VectorKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOAT32_ROWS = 100_000
"""Above this many vectors they stay float16 in memory, which halves it, and are widened piece by piece."""

_ROWS_AT_ONCE = 16_384
_SCORE_DIGITS = 6

Place = tuple[str, str | None, str | None]
"""Database, schema and domain of a record."""

_SELECT = """
SELECT v.id, v.vector, d.table_id, d.database_name, d.schema_name, d.domain
FROM vectors v JOIN documents d ON d.id = v.id
WHERE v.kind = ? ORDER BY v.id
"""


@dataclass(frozen=True)
class VectorMatrix:
    """All vectors of one kind; rows are in order of record id."""

    ids: NDArray[Any]
    table_ids: NDArray[Any]
    """0 where a record belongs to no table."""
    rows: NDArray[Any]
    place_codes: NDArray[Any]
    places: tuple[Place, ...]

    def nearest(self, vector: NDArray[Any], where: IndexFilter, limit: int) -> list[Candidate]:
        """The rows nearest to the vector by cosine similarity, ties by id."""
        query = np.asarray(vector, dtype=np.float32).ravel()
        chosen = self._chosen(where)
        if limit <= 0 or not len(chosen) or query.shape[0] != self.rows.shape[1] or not query.any():
            return []
        scores = np.round(self._scores(query)[chosen], _SCORE_DIGITS)
        if len(scores) > limit:
            # Everything at or above the last score that makes it, so that ties at the edge fall by id.
            edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            kept = np.flatnonzero(scores >= edge)
            chosen, scores = chosen[kept], scores[kept]
        order = np.lexsort((self.ids[chosen], -scores))[:limit]
        return [
            Candidate(int(self.ids[row]), float(score), table_id=int(self.table_ids[row]) or None)
            for row, score in zip(chosen[order], scores[order], strict=True)
        ]

    def _chosen(self, where: IndexFilter) -> NDArray[Any]:
        allowed = np.array([_admits(where, place) for place in self.places], dtype=bool)
        if allowed.all():
            return np.arange(len(self.ids))
        return np.flatnonzero(allowed[self.place_codes])

    def _scores(self, query: NDArray[Any]) -> NDArray[Any]:
        pieces = range(0, len(self.rows), _ROWS_AT_ONCE)
        parts = [self.rows[start : start + _ROWS_AT_ONCE].astype(np.float32, copy=False) @ query for start in pieces]
        scores: NDArray[Any] = np.clip(np.concatenate(parts), -1.0, 1.0)
        return scores


def load_matrix(connection: sqlite3.Connection, kind: VectorKind, dimensions: int) -> VectorMatrix:
    """Read all vectors of one kind that have that many dimensions."""
    ids: list[int] = []
    table_ids: list[int] = []
    blobs: list[bytes] = []
    codes: list[int] = []
    places: dict[Place, int] = {}
    for record_id, blob, table_id, *place in connection.execute(_SELECT, (kind,)):
        if len(blob) != 2 * dimensions:
            continue
        ids.append(record_id)
        table_ids.append(table_id or 0)
        blobs.append(blob)
        codes.append(places.setdefault((place[0], place[1], place[2]), len(places)))
    rows = np.frombuffer(b"".join(blobs), dtype="<f2").reshape(len(blobs), dimensions)
    return VectorMatrix(
        ids=np.array(ids, dtype=np.int64),
        table_ids=np.array(table_ids, dtype=np.int64),
        rows=rows.astype(np.float32) if len(blobs) <= FLOAT32_ROWS else rows,
        place_codes=np.array(codes, dtype=np.int64),
        places=tuple(places),
    )


def to_blob(vector: NDArray[Any]) -> bytes | None:
    """A vector as the file keeps it, little-endian float16; `None` for a zero vector, which is near to nothing."""
    values = np.asarray(vector, dtype="<f2").ravel()
    return values.tobytes() if values.any() else None


def _admits(where: IndexFilter, place: Place) -> bool:
    database, schema, domain = place
    if where.database is not None and database != where.database:
        return False
    if where.domain is not None and domain != where.domain:
        return False
    return where.scope.allows(database, schema)
