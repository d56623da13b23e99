"""What ranking works with: numbered tables, what a question's signals say of them, and the keys between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """How strongly one kind of evidence speaks for some tables; two arrays of the same length, each table once."""

    tables: NDArray[Any]
    """N int64, numbers of tables."""
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
"""A signal that could not be had."""


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The signals of one question."""

    lexical: Signal = NOTHING
    """BM25 of the words."""
    whole: Signal = NOTHING
    """Cosine similarity of the table's vector."""
    column: Signal = NOTHING
    """That of its nearest column."""
    name: Signal = NOTHING
    """That of its name alone."""

    def candidates(self) -> NDArray[Any]:
        """Every table that a signal speaks for, in ascending order."""
        return np.unique(np.concatenate([one.tables for one in (self.lexical, self.whole, self.column, self.name)]))


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """What is known of all tables whatever the question; they are numbered from 0."""

    schemas: NDArray[Any]
    """N int64: the number of each table's schema."""
    here: NDArray[Any]
    there: NDArray[Any]
    """Pairs of tables with a key between them, each pair both ways, once."""
    degrees: NDArray[Any]
    """N int64: to how many other tables each is joined."""

    @classmethod
    def of(cls, schemas: Sequence[int], joined: Sequence[tuple[int, int]]) -> Neighbourhood:
        """Of numbered schemas and of joined pairs, in any order and direction."""
        both = {(one, other) for one, other in joined if one != other}
        both |= {(other, one) for one, other in both}
        pairs = np.array(sorted(both), dtype=np.int64).reshape(-1, 2)
        degrees = np.bincount(pairs[:, 0], minlength=len(schemas))
        here, there = np.ascontiguousarray(pairs.T)
        return cls(np.array(schemas, dtype=np.int64), here, there, degrees)

    @property
    def share_with_key(self) -> float:
        """Share of the tables that are joined to another, 0 to 1."""
        return float(np.count_nonzero(self.degrees) / len(self.degrees)) if len(self.degrees) else 0.0
