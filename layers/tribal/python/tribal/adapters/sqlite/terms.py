"""The term index of one record type: the records that contain a term, with their BM25 scores.

The BM25 score of a query is the sum over its terms, so FTS5's result for one term can be cached for every query that
uses it. A term found in every record takes FTS5 some milliseconds, and such terms recur most often.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.adapters.sqlite.places import Place, Places
from tribal.adapters.sqlite.schema import TERMS, Columns, match_expression
from tribal.ports import Candidates, IndexFilter, MatchedTerms
from tribal_contracts import DocType

if TYPE_CHECKING:
    from numpy.typing import NDArray

POSTINGS_KEPT = 2_000_000
"""Maximum (term, record) pairs cached in memory, at 12 bytes each."""

_NAME_WEIGHT = 3.0
_SCORE_DIGITS = 6
_SELECT = """
SELECT r.number, r.id, coalesce(r.table_id, 0), o.database_name, r.schema_name, o.domain
FROM records r JOIN origins o ON o.number = r.origin WHERE r.doc_type = ? ORDER BY r.number
"""


@dataclass(frozen=True, slots=True)
class _Postings:
    positions: NDArray[Any]
    scores: NDArray[Any]

    @property
    def pairs(self) -> int:
        """Size of the entry for the cache; a term found nowhere takes some space too."""
        return len(self.positions) + 32

    def where(self, mask: NDArray[Any]) -> _Postings:
        """Those of the records in a mask by position."""
        chosen = mask[self.positions]
        return _Postings(self.positions[chosen], self.scores[chosen])

    def and_those_of(self, other: _Postings) -> _Postings:
        """These and those of other records."""
        return _Postings(np.concatenate([self.positions, other.positions]), np.concatenate([self.scores, other.scores]))


class TermIndex:
    """The term index of one record type in one generation; thread-safe."""

    def __init__(self, connection: sqlite3.Connection, doc_type: DocType) -> None:
        numbers, ids, table_ids, codes = [], [], [], []
        places: dict[Place, int] = {}
        for number, record, table, *place in connection.execute(_SELECT, (doc_type,)):
            numbers.append(number)
            ids.append(record)
            table_ids.append(table)
            codes.append(places.setdefault((place[0], place[1], place[2]), len(places)))
        self._numbers, self._ids, self._table_ids = (np.array(v, np.int64) for v in (numbers, ids, table_ids))
        self._places = Places(np.array(codes, np.int64), tuple(places))
        table = TERMS[doc_type]
        self._query = f"SELECT rowid, -bm25({table}, {_NAME_WEIGHT}, 1.0) FROM {table} WHERE {table} MATCH ?"  # noqa: S608
        self._kept: OrderedDict[str, _Postings] = OrderedDict()
        self._kept_pairs = 0
        self._lock = threading.Lock()

    def best(
        self,
        connection: sqlite3.Connection,
        terms: Sequence[str],
        where: IndexFilter,
        limit: int,
        withheld: NDArray[Any] | None = None,
    ) -> Candidates:
        """Records that contain any of the terms, best first, ties by id; `withheld` as for `counts`."""
        scores, held = np.zeros(len(self._ids)), np.zeros(len(self._ids), np.uint64)
        for bit, postings in enumerate(self._searched(connection, terms, where, withheld)):
            scores[postings.positions] += postings.scores
            held[postings.positions] |= np.uint64(1 << bit)
        allowed = self._places.allowed(where)
        found = np.flatnonzero(held if allowed is None else np.where(allowed, held, 0))
        rounded, ids = np.round(scores[found], _SCORE_DIGITS), self._ids[found]
        order = np.lexsort((ids, -rounded))[:limit]
        found = found[order]
        matched = MatchedTerms(terms, held[found])
        return Candidates(self._ids[found], rounded[order], self._table_ids[found], matched)

    def counts(
        self,
        connection: sqlite3.Connection,
        terms: Sequence[str],
        where: IndexFilter,
        withheld: NDArray[Any] | None = None,
    ) -> dict[str, int]:
        """The number of records that contain each term; terms found in none are left out.

        Args:
            connection: to the generation.
            terms: the terms, without duplicates.
            where: the records that count.
            withheld: ids of records whose prose may not be searched.
        """
        allowed = self._places.allowed(where)
        counted: dict[str, int] = {}
        for term, postings in zip(terms, self._searched(connection, terms, where, withheld), strict=True):
            positions = postings.positions
            counted[term] = len(positions) if allowed is None else int(np.count_nonzero(allowed[positions]))
        return {term: count for term, count in counted.items() if count}

    def _searched(
        self,
        connection: sqlite3.Connection,
        terms: Sequence[str],
        where: IndexFilter,
        withheld: NDArray[Any] | None,
    ) -> Iterator[_Postings]:
        """The records that contain each term in what a filter lets be searched."""
        columns: Columns = "" if where.scope.schemas is None else "names body prose"
        closed = None if withheld is None else np.isin(self._ids, withheld)
        for term in terms:
            found = self._postings(connection, term, columns)
            if closed is not None:
                named = self._postings(connection, term, "names body")
                found = found.where(~closed).and_those_of(named.where(closed))
            yield found

    def _postings(self, connection: sqlite3.Connection, term: str, columns: Columns) -> _Postings:
        expression = match_expression(term, columns)
        with self._lock:
            kept = self._kept.get(expression)
            if kept is not None:
                self._kept.move_to_end(expression)
                return kept
        rows = connection.execute(self._query, (expression,)).fetchall()
        pairs = np.fromiter(chain.from_iterable(rows), np.float64, 2 * len(rows)).reshape(-1, 2)
        positions = np.searchsorted(self._numbers, pairs[:, 0].astype(np.int64)).astype(np.int32)
        found = _Postings(positions, pairs[:, 1].copy())
        with self._lock:
            if expression not in self._kept:
                self._kept[expression] = found
                self._kept_pairs += found.pairs
            while self._kept_pairs > POSTINGS_KEPT and len(self._kept) > 1:
                self._kept_pairs -= self._kept.popitem(last=False)[1].pairs
        return found
