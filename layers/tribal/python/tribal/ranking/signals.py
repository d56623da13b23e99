"""Inputs of ranking: numbered tables, the signals of a question, and the keys between tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """Scores of some tables by one kind of evidence; two arrays of the same length, each table once."""

    tables: NDArray[Any]
    """N int64, table numbers."""
    scores: NDArray[Any]
    """N float64, higher is better."""

    @classmethod
    def of(cls, tables: Sequence[int], scores: Sequence[float]) -> Signal:
        """A signal from plain numbers."""
        return cls(np.array(tables, dtype=np.int64), np.array(scores, dtype=np.float64))

    def over(self, candidates: NDArray[Any], missing: float) -> NDArray[Any]:
        """The score of each candidate, which must hold every table of the signal in ascending order."""
        filled = np.full(len(candidates), missing, dtype=np.float64)
        filled[np.searchsorted(candidates, self.tables)] = self.scores
        return filled


NOTHING = Signal.of((), ())
"""An unavailable signal."""


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The signals of one question."""

    lexical: Signal = NOTHING
    """BM25 over words."""
    whole: Signal = NOTHING
    """Cosine similarity to the table's vector."""
    column: Signal = NOTHING
    """Cosine similarity to the nearest column's vector."""
    name: Signal = NOTHING
    """Cosine similarity to the vector of the table's name."""
    letters: Signal = NOTHING
    """Cosine similarity of the character grams of the table's name."""

    def candidates(self) -> NDArray[Any]:
        """Numbers of all tables with a signal, ascending."""
        signals = [one.tables for one in (self.lexical, self.whole, self.column, self.name, self.letters)]
        has_signal = np.zeros(1 + max((int(tables.max()) for tables in signals if len(tables)), default=-1), bool)
        for tables in signals:
            has_signal[tables] = True
        return np.flatnonzero(has_signal)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """Schemas and keys of all tables, numbered from 0; independent of the question."""

    schemas: NDArray[Any]
    """N unsigned integers: the number of each table's schema."""
    here: NDArray[Any]
    there: NDArray[Any]
    """With `here`, the pairs of tables joined by a key, each pair once in either direction."""
    degrees: NDArray[Any]
    """N int64: the number of other tables each is joined to."""
    groups: NDArray[Any]
    """N int64: the same number for tables that are joined, in any number of steps."""

    @classmethod
    def of(cls, schemas: Sequence[int], joined: Sequence[tuple[int, int]]) -> Neighbourhood:
        """Build from schema numbers and joined pairs, in any order and direction."""
        both = {(one, other) for one, other in joined if one != other}
        both |= {(other, one) for one, other in both}
        pairs = np.array(sorted(both), dtype=np.int64).reshape(-1, 2)
        degrees = np.bincount(pairs[:, 0], minlength=len(schemas))
        here, there = np.ascontiguousarray(pairs.T)
        # numpy sorts small integers several times faster.
        numbers = np.array(schemas, np.min_scalar_type(max(schemas, default=0)))
        return cls(numbers, here, there, degrees, _groups(len(schemas), here, there))

    @property
    def share_with_key(self) -> float:
        """Share of tables that are joined to another, 0 to 1."""
        return float(np.count_nonzero(self.degrees) / len(self.degrees)) if len(self.degrees) else 0.0

    def connected(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Whether each table is in the schema of one of these, or joined to one, in any number of steps; N bool."""
        is_near = np.zeros((2, len(self.schemas) + 1), bool)
        is_near[0, self.groups[tables]] = True
        is_near[1, self.schemas[tables]] = True
        found: NDArray[Any] = is_near[0, self.groups] | is_near[1, self.schemas]
        return found


def _groups(tables: int, here: NDArray[Any], there: NDArray[Any]) -> NDArray[Any]:
    """The smallest number of all tables that each is joined to, in any number of steps."""
    groups = np.arange(tables)
    while True:
        smaller = groups.copy()
        np.minimum.at(smaller, here, groups[there])
        smaller = smaller[smaller]
        if np.array_equal(smaller, groups):
            return groups
        groups = smaller
