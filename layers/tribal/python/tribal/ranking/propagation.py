"""Tables gain by their neighbours: what is joined to several good answers is often needed to connect them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tribal.ranking.fusion import standardize
from tribal.ranking.weights import WEIGHTS, Weights

Neighbours = Callable[[int], Sequence[int]]
"""The tables that a table is joined to."""


def propagate(
    scores: Mapping[int, float], neighbours: Neighbours, share_with_key: float, weights: Weights = WEIGHTS
) -> dict[int, float]:
    """The scores with the standing added that a random walk from the best tables gives each, in whichever direction.

    Args:
        scores: by table; tables that only the walk reaches are not added.
        share_with_key: of all tables that may be found, 0 to 1; where few keys are declared, they mislead.
    """
    weight = weights.propagation * min(max(share_with_key, 0.0), 1.0)
    if not scores or weight == 0.0:
        return dict(scores)
    standing = _walk(_seeds(scores, weights.propagation_seeds), neighbours, weights)
    gain = standardize(standing, sorted(scores))
    return {table: score + weight * gain[table] for table, score in scores.items()}


def _seeds(scores: Mapping[int, float], count: int) -> dict[int, float]:
    """The best tables, each with its lead over the first that is not among them, adding up to 1."""
    order = sorted(scores, key=lambda table: (-scores[table], table))
    best = order[:count]
    floor = scores[order[count]] if len(order) > count else scores[order[-1]]
    leads = {table: scores[table] - floor for table in best}
    total = sum(leads.values())
    if total <= 0.0:
        return dict.fromkeys(best, 1.0 / len(best))
    return {table: lead / total for table, lead in leads.items()}


def _walk(seeds: Mapping[int, float], neighbours: Neighbours, weights: Weights) -> dict[int, float]:
    standing = dict(seeds)
    for _ in range(weights.rounds):
        moved = {table: (1.0 - weights.damping) * mass for table, mass in seeds.items()}
        for table, mass in sorted(standing.items()):
            around = neighbours(table)
            # A table without neighbours keeps what it would hand on.
            for other in around or (table,):
                moved[other] = moved.get(other, 0.0) + weights.damping * mass / max(len(around), 1)
        standing = moved
    return standing
