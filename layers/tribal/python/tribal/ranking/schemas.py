"""Raises tables of schemas with good candidates: the tables of one answer are mostly in one schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
