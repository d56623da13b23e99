"""Which of several memories say the same.

Words in the same order do, and texts whose vectors are near, but not the same words in another order nor a text
with another number, negation or opposite, however near its vector is.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIKE = 0.95
"""Cosine from which two memories may say the same. Source: docs/contracts.md, Memory."""
NEGATIONS = frozenset(
    "no not never none nothing nobody nowhere neither nor cannot without except unless hardly only"
    " nicht nichts kein keine keinen keiner nie niemals ohne weder noch nur"
    " ne pas jamais aucun aucune sans ni rien nunca ninguno ninguna sin nada non mai senza".split()
)
OPPOSITES = frozenset(
    "before after include includes including included exclude excludes excluding excluded with in out on off up down"
    " true false yes always sometimes all some any every more less most least over under above below first last"
    " minimum maximum min max ascending descending enabled disabled enable disable allowed forbidden must may should"
    " can required optional from to increase decrease gross net positive negative old new valid invalid".split()
)
"""Words that turn a statement round, or change how far it holds."""
NUMBERS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half"
    " quarter third double twice thrice once second fourth fifth daily weekly monthly quarterly yearly hourly".split()
)
_TELLING = NEGATIONS | OPPOSITES | NUMBERS
_AT_THE_ENDS = ".,;:'\"()[]{}`\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u2026"
_AT_THE_END = _AT_THE_ENDS + "!?"
_DASHES = frozenset({"-", "--", "\u2013", "\u2014"})
_BLOCK = 256


def distinct(contents: Sequence[str], vectors: Sequence[NDArray[Any] | None]) -> list[int]:
    """The numbers of the texts that say what none before them says.

    Args:
        contents: the texts; the first of those that say the same stays.
        vectors: L2-normalised, one a text; `None` for a text that is compared by words alone.
    """
    words = [words_of(content) for content in contents]
    seen: dict[tuple[str, ...], int] = {}
    different = [number for number, each in enumerate(words) if seen.setdefault(each, number) == number]
    near = _near([vectors[number] for number in different])
    kept: list[int] = []
    gone: set[int] = set()
    for position, number in enumerate(different):
        earlier = (different[other] for other in near.get(position, ()))
        if any(other not in gone and means_the_same(words[other], words[number]) for other in earlier):
            gone.add(number)
        else:
            kept.append(number)
    return kept


def words_of(content: str) -> tuple[str, ...]:
    """The words of a text in their order, without case, white space, and the punctuation around them."""
    folded = unicodedata.normalize("NFC", content).casefold().replace("\u2019", "'")
    stripped = (_stripped(word) for word in folded.split())
    return tuple(word for word in stripped if word and word not in _DASHES)


def means_the_same(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two texts whose vectors are near may say the same.

    They do not if a word that only one of them has is a negation, a number or an opposite, nor if the words that both
    have stand in another order.
    """
    own, theirs = Counter(words), Counter(others)
    different = (own - theirs) + (theirs - own)
    if any(map(_tells, different)):
        return False
    shared = own & theirs
    return _in_order(words, shared) == _in_order(others, shared)


def _stripped(word: str) -> str:
    if not any(map(str.isalnum, word)):
        return "" if not word.strip(_AT_THE_END) else word
    return word.lstrip(_AT_THE_ENDS).rstrip(_AT_THE_END)


def _tells(word: str) -> bool:
    parts = re.split(r"[-/]", word)
    return word.endswith("n't") or _has_sign(word) or not _TELLING.isdisjoint(parts)


def _has_sign(word: str) -> bool:
    # A digit, or a sign as in "<" or "a!=b".
    return any(sign.isnumeric() or not (sign.isalpha() or sign in "-'/._") for sign in word)


def _in_order(words: Sequence[str], shared: Counter[str]) -> list[str]:
    left = Counter(shared)
    kept: list[str] = []
    for word in words:
        if left[word] > 0:
            left[word] -= 1
            kept.append(word)
    return kept


def _near(vectors: Sequence[NDArray[Any] | None]) -> dict[int, list[int]]:
    """For each vector the earlier ones that are near to it."""
    numbers = [number for number, vector in enumerate(vectors) if vector is not None]
    near: dict[int, list[int]] = {}
    if len(numbers) < 2:
        return near
    matrix = np.stack([np.asarray(vectors[number], dtype=np.float32) for number in numbers])
    for start in range(0, len(numbers), _BLOCK):
        cosines = matrix[start : start + _BLOCK] @ matrix[: start + _BLOCK].T
        for row, column in np.argwhere(cosines >= ALIKE).tolist():
            if column < start + row:
                near.setdefault(numbers[start + row], []).append(numbers[column])
    return near
