"""Finds words that are one or two edits from another word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORTEST_WITH_ONE, SHORTEST_WITH_TWO = 5, 9
"""The shortest words that may have one, and two, wrong letters: too many shorter words look alike. By judgement."""
MOST_EDITS = 2
_LETTERS = 64
"""Characters are counted by their code modulo this; what falls together is told apart afterwards."""


class Spellings:
    """Words among which a misspelt one is looked up.

    Args:
        words: each once.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._letters = np.array([_letters(word) for word in words], dtype=np.int16).reshape(-1, _LETTERS)
        self._lengths = np.array([len(word) for word in words], dtype=np.int64)

    def near(self, word: str) -> list[tuple[int, int]]:
        """How many edits the nearest words are away, each with its position; none if too many."""
        most = edits_allowed(word)
        if not most:
            return []
        # An edit changes the length by one and two counts at the most.
        long_enough = np.flatnonzero(np.abs(self._lengths - len(word)) <= most)
        apart = np.abs(self._letters[long_enough] - _letters(word)).sum(axis=1)
        likely = long_enough[apart <= 2 * most].tolist()
        found = [(edit_distance(word, self._words[place], most), place) for place in likely]
        least = min((edits for edits, _ in found), default=most + 1)
        return [pair for pair in found if pair[0] == least <= min(most, edits_allowed(self._words[pair[1]]))]


def edits_allowed(word: str) -> int:
    """How many letters of a word may be wrong."""
    return (len(word) >= SHORTEST_WITH_ONE) + (len(word) >= SHORTEST_WITH_TWO)


def edit_distance(one: str, other: str, most: int) -> int:
    """Letters added, left out, changed or swapped with the next one; `most + 1` if there are more than that.

    Optimal string alignment: no part of a word is edited twice.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        now = [row]
        for column, theirs in enumerate(other, start=1):
            cost = min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (letter != theirs))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == theirs:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        before, last = last, now
    return min(last[-1], most + 1)


def _letters(word: str) -> NDArray[Any]:
    return np.bincount([ord(letter) % _LETTERS for letter in word], minlength=_LETTERS)
