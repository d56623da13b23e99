"""Raises tables joined to several good answers, which are often needed to connect them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.fusion import standardize
from tribal.ranking.signals import Neighbourhood
from tribal.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def propagate(
    scores: NDArray[Any], candidates: NDArray[Any], neighbourhood: Neighbourhood, weights: Weights = WEIGHTS
) -> NDArray[Any]:
    """Add to each score the candidate's weight in a random walk along keys, started from the best candidates.

    If few tables have keys, keys mislead and so count less. Square roots keep a hub that everything is joined to from
    outranking the tables that were asked for.
    """
    weight = weights.propagation * neighbourhood.share_with_key
    if not len(scores) or weight == 0.0:
        return scores
    seeds = np.zeros(len(neighbourhood.degrees))
    best = _best(scores, candidates, weights.propagation_seeds + 1)
    seeds[candidates[best[: weights.propagation_seeds]]] = _leads(scores[best], weights.propagation_seeds)
    standing = _walk(seeds, neighbourhood, weights)[candidates]
    return scores + weight * standardize(np.sqrt(standing))


def _best(scores: NDArray[Any], candidates: NDArray[Any], count: int) -> NDArray[Any]:
    """Positions of the best, in order, ties by number."""
    likely = np.arange(len(scores))
    if len(scores) > count:
        likely = np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[len(scores) - count])
    best: NDArray[Any] = likely[np.lexsort((candidates[likely], -scores[likely]))][:count]
    return best


def _leads(falling: NDArray[Any], count: int) -> NDArray[Any]:
    """The lead of each of the `count` best over the next one, normalised to sum to 1."""
    best = falling[:count]
    leads = best - falling[min(count, len(falling) - 1)]
    total = float(leads.sum())
    return leads / total if total > 0.0 else np.full(len(best), 1.0 / len(best))


def _walk(seeds: NDArray[Any], neighbourhood: Neighbourhood, weights: Weights) -> NDArray[Any]:
    """Distribution of a random walk with restart from the seeds (personalised PageRank)."""
    has_neighbours = neighbourhood.degrees > 0
    passes = np.divide(weights.damping, neighbourhood.degrees, out=np.zeros(len(seeds)), where=has_neighbours)
    # A table without neighbours keeps its share.
    stays = np.where(has_neighbours, 0.0, weights.damping)
    standing, starts = seeds, (1.0 - weights.damping) * seeds
    for _ in range(weights.rounds):
        arrives = np.bincount(neighbourhood.there, (standing * passes)[neighbourhood.here], minlength=len(seeds))
        standing = starts + stays * standing + arrives
    return standing
