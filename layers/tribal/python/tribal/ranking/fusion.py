"""Several signals become one score: a weighted sum of z-scores.

Ranks alone (reciprocal rank fusion) lost to the better of their inputs: how far ahead a candidate is says much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Signals:
    """Scores by the id of a table's record; a signal that could not be had is empty."""

    lexical: Mapping[int, float]
    table_vector: Mapping[int, float]
    best_column: Mapping[int, float]

    def candidates(self) -> list[int]:
        """Every table that a signal knows, in order of id."""
        return sorted({*self.lexical, *self.table_vector, *self.best_column})


def fuse(signals: Signals, candidates: Sequence[int], weights: Weights = WEIGHTS) -> dict[int, float]:
    """One score a candidate; comparable within this call only.

    A table without a shared word has the lexical score 0. A table that is not among the nearest is at most as near as
    the last of them.
    """
    total = (
        weights.lexical * _standard(_column(signals.lexical, candidates, 0.0))
        + weights.table_vector * _standard(_column(signals.table_vector, candidates, _least(signals.table_vector)))
        + weights.best_column * _standard(_column(signals.best_column, candidates, _least(signals.best_column)))
    )
    return {candidate: float(score) for candidate, score in zip(candidates, total, strict=True)}


def standardize(scores: Mapping[int, float], candidates: Sequence[int]) -> dict[int, float]:
    """Z-scores over the candidates, 0 for one without a score; all 0 when nothing sets them apart."""
    values = _standard(_column(scores, candidates, 0.0))
    return {candidate: float(value) for candidate, value in zip(candidates, values, strict=True)}


def _column(scores: Mapping[int, float], candidates: Sequence[int], missing: float) -> NDArray[Any]:
    return np.array([scores.get(candidate, missing) for candidate in candidates], dtype=np.float64)


def _least(scores: Mapping[int, float]) -> float:
    return min(scores.values(), default=0.0)


def _standard(values: NDArray[Any]) -> NDArray[Any]:
    spread = float(values.std()) if len(values) else 0.0
    if spread < 1e-12:
        return np.zeros_like(values)
    centred: NDArray[Any] = (values - values.mean()) / spread
    return centred
