"""Several signals become one score: a weighted sum of z-scores.

Ranks alone (reciprocal rank fusion) lost to the better of their inputs: how far ahead a candidate is says much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.signals import Signal, Signals
from tribal.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fuse(signals: Signals, candidates: NDArray[Any], weights: Weights = WEIGHTS) -> NDArray[Any]:
    """One score a candidate; comparable within this call only.

    A table without a shared word has the lexical score 0. A table that is not among the nearest is at most as near as
    the last of them.
    """
    return (
        weights.lexical * standardize(signals.lexical.over(candidates, 0.0))
        + weights.whole * standardize(signals.whole.over(candidates, _least(signals.whole)))
        + weights.column * standardize(signals.column.over(candidates, _least(signals.column)))
        + weights.name * standardize(signals.name.over(candidates, _least(signals.name)))
    )


def standardize(values: NDArray[Any]) -> NDArray[Any]:
    """Z-scores; all 0 when nothing sets the values apart."""
    spread = float(values.std()) if len(values) else 0.0
    if spread < 1e-12:
        return np.zeros(len(values))
    centred: NDArray[Any] = (values - values.mean()) / spread
    return centred


def _least(signal: Signal) -> float:
    return float(signal.scores.min()) if len(signal.scores) else 0.0
