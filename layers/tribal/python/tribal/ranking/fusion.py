"""Fuses several signals into one score: a weighted sum of z-scores.

Reciprocal rank fusion did worse than the best of its inputs: ranks do not show how far ahead a candidate is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.signals import Signal, Signals
from tribal.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fuse(signals: Signals, candidates: NDArray[Any], weights: Weights = WEIGHTS) -> NDArray[Any]:
    """One score per candidate; comparable only within this call.

    A table that shares no word with the question gets the lexical score 0; a table that is not among the nearest
    gets the lowest similarity among them; a table whose name has no letters in common gets 0 for them.
    """
    return (
        weights.lexical * standardize(signals.lexical.over(candidates, 0.0))
        + weights.whole * standardize(signals.whole.over(candidates, _least(signals.whole)))
        + weights.column * standardize(signals.column.over(candidates, _least(signals.column)))
        + weights.name * standardize(signals.name.over(candidates, _least(signals.name)))
        + weights.letters * standardize(signals.letters.over(candidates, 0.0))
    )


def standardize(values: NDArray[Any]) -> NDArray[Any]:
    """Z-scores; all 0 if the values do not differ."""
    spread = float(values.std()) if len(values) else 0.0
    if spread < 1e-12:
        return np.zeros(len(values))
    centred: NDArray[Any] = (values - values.mean()) / spread
    return centred


def _least(signal: Signal) -> float:
    return float(signal.scores.min()) if len(signal.scores) else 0.0
