"""From signals to a ranking: a weighted sum of z-scores, which raises related tables and schemas with good candidates.

Reciprocal rank fusion did worse than the best of its inputs: ranks do not show how far ahead a candidate is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.signals import Neighbourhood, Signal, Signals
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


def prefer_schemas(scores: NDArray[Any], schemas: NDArray[Any], weights: Weights = WEIGHTS) -> NDArray[Any]:
    """Add to each score the mean score of the best candidates in the same schema.

    Args:
        scores: the score of each candidate.
        schemas: the number of each candidate's schema.
    """
    if not len(scores) or weights.schema == 0.0:
        return scores
    best_first = np.argsort(-scores)
    order = best_first[np.argsort(schemas[best_first], kind="stable")]
    sorted_schemas, sorted_scores = schemas[order], scores[order]
    first = np.flatnonzero(np.r_[True, sorted_schemas[1:] != sorted_schemas[:-1]])
    group = np.cumsum(np.r_[False, sorted_schemas[1:] != sorted_schemas[:-1]])
    best = np.arange(len(scores)) - first[group] < weights.schema_best
    means = np.bincount(group[best], sorted_scores[best]) / np.bincount(group[best])
    gained = np.empty(len(scores))
    gained[order] = means[group]
    return scores + weights.schema * gained


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
