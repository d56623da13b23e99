"""How much names look like the words of a question: cosine similarity of their character 3- to 5-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.ranking.signals import Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORTEST, LONGEST = 3, 5
"""Lengths of the runs of characters that are compared; a word begins and ends with a space."""


class GramIndex:
    """The character grams of many names, weighted by how rare they are (tf-idf).

    Args:
        names: the words of each name.
    """

    def __init__(self, names: Sequence[Sequence[str]]) -> None:
        counted = [_counted(words) for words in names]
        places = {gram: place for place, gram in enumerate(dict.fromkeys(gram for one in counted for gram in one))}
        grams = np.fromiter((places[gram] for one in counted for gram in one), np.int64)
        tables = np.repeat(np.arange(len(names)), [len(one) for one in counted])
        counts = np.fromiter((count for one in counted for count in one.values()), np.float64)
        self._rarity = np.log((1 + len(names)) / (1 + np.bincount(grams, minlength=len(places)))) + 1.0
        weights = (1.0 + np.log(counts)) * self._rarity[grams]
        lengths = np.sqrt(np.bincount(tables, weights**2, minlength=len(names)))
        order = np.argsort(grams, kind="stable")
        self._places = places
        self._starts = np.searchsorted(grams[order], np.arange(len(places) + 1))
        self._tables, self._weights = tables[order], (weights / lengths[tables])[order]

    def alike(self, words: Iterable[str], limit: int) -> Signal:
        """The names most like these words by number, with their cosine similarities."""
        asked = {gram: count for gram, count in _counted(words).items() if gram in self._places}
        if not asked:
            return Signal.of((), ())
        grams = np.array([self._places[gram] for gram in asked])
        weights = (1.0 + np.log(list(asked.values()))) * self._rarity[grams]
        weights /= np.sqrt(np.sum(weights**2))
        spans = [slice(self._starts[gram], self._starts[gram + 1]) for gram in grams]
        tables = np.concatenate([self._tables[span] for span in spans])
        shares = np.concatenate([self._weights[span] * weight for span, weight in zip(spans, weights, strict=True)])
        scores: NDArray[Any] = np.bincount(tables, shares)
        found = np.flatnonzero(scores)
        if len(found) > limit:
            edge = np.partition(scores[found], len(found) - limit)[len(found) - limit]
            found = found[scores[found] >= edge]
        best = found[np.argsort(-scores[found], kind="stable")[:limit]]
        best.sort()
        return Signal(best, scores[best])


def _counted(words: Iterable[str]) -> Counter[str]:
    return Counter(gram for word in words for gram in _grams(word))


# Names share most of their words.
@lru_cache(maxsize=16_384)
def _grams(word: str) -> tuple[str, ...]:
    return tuple(_runs(f" {word} "))


def _runs(text: str) -> Iterator[str]:
    for length in range(SHORTEST, LONGEST + 1):
        for start in range(len(text) - length + 1):
            yield text[start : start + length]
