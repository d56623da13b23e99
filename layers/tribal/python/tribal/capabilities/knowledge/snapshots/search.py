"""Finds items by words and by meaning."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.capabilities.knowledge.snapshots.projection import vectors_of
from tribal.naming.tokens import index_terms
from tribal_contracts.knowledge import Projection

if TYPE_CHECKING:
    from numpy.typing import NDArray

_K1, _B = 1.2, 0.75
"""BM25 parameters with Lucene's defaults."""
_MEANING = 0.5
"""Weight of the cosine relative to the words, whose best score is 1. By judgement."""
_NEAR = 0.35
"""Minimum cosine of an item that shares no word with the query. By judgement."""


class SearchableItems:
    """The items of a projection, ready to search."""

    def __init__(self, projection: Projection) -> None:
        self.items = projection.items
        self.model = projection.model
        self._vectors = vectors_of(projection)
        held: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, each in enumerate(projection.items):
            for term, count in each.terms.items():
                held[term].append((number, count))
        lengths = np.array([sum(each.terms.values()) for each in projection.items], np.float64)
        self._shortness = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0)) if len(lengths) else lengths
        self._postings = {term: np.array(pairs, np.int64).T for term, pairs in held.items()}

    def scores(self, query: str, vector: NDArray[Any] | None) -> NDArray[Any]:
        """The score of each item; 0 if nothing matches.

        Args:
            query: the question.
            vector: vector of the question, if the same model made it.
        """
        words = self._words(index_terms(query))
        best = words.max(initial=0.0)
        scores: NDArray[Any] = words / best if best else words
        if vector is not None and self._vectors is not None:
            cosines = self._vectors @ vector
            scores = scores + np.where((scores > 0) | (cosines >= _NEAR), _MEANING * np.clip(cosines, 0.0, 1.0), 0.0)
        return scores

    def _words(self, terms: Sequence[str]) -> NDArray[Any]:
        scores = np.zeros(len(self.items))
        for term in dict.fromkeys(terms):
            postings = self._postings.get(term)
            if postings is None:
                continue
            rows, counts = postings
            rarity = math.log(1 + (len(self.items) - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += rarity * counts * (_K1 + 1) / (counts + self._shortness[rows])
        return scores
