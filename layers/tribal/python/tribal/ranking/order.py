"""From signals to a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.fusion import fuse
from tribal.ranking.propagation import propagate
from tribal.ranking.schemas import prefer_schemas
from tribal.ranking.signals import Neighbourhood, Signals
from tribal.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCORE_DIGITS = 9
"""Decimals compared, so that floating-point error does not order equal scores."""


def rank_tables(signals: Signals, neighbourhood: Neighbourhood, weights: Weights = WEIGHTS) -> NDArray[Any]:
    """All tables with a signal, most likely first, ties by number."""
    candidates = signals.candidates()
    scores = fuse(signals, candidates, weights)
    scores = propagate(scores, candidates, neighbourhood, weights)
    scores = prefer_schemas(scores, neighbourhood.schemas[candidates], weights)
    # Candidates ascend, and a stable sort leaves ties as they are.
    ranked: NDArray[Any] = candidates[np.argsort(-np.round(scores, _SCORE_DIGITS), kind="stable")]
    return ranked
