"""Look up synonyms and broader terms of English nouns: people say "road" for a table named way.

The words are the nouns of WordNet 3.0 (decision 51); `WORD_LISTS.txt` has its licence.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache

from tribal.naming.inflection import singular

FILE = "nouns.txt"
_UNLISTED: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


def synonyms(word: str) -> tuple[str, ...]:
    """Return the synonyms of a lower-case noun, singular or plural, in its three most used senses."""
    return _listed(word)[0]


def broader(word: str) -> tuple[str, ...]:
    """Return the broader terms of such a noun in its most used sense."""
    return _listed(word)[1]


def is_noun(word: str) -> bool:
    """Whether a lower-case word, singular or plural, is an English noun."""
    return _listed(word) is not _UNLISTED


@lru_cache(maxsize=4_096)
def _listed(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    start = f"{singular(word)}\t"
    lines = sorted_lines()
    place = bisect_left(lines, start)
    if place == len(lines) or not lines[place].startswith(start):
        return _UNLISTED
    _, same, wider = lines[place].split("\t")
    return tuple(same.split()), tuple(wider.split())


@cache
def sorted_lines() -> list[str]:
    """Return one line per noun, separated by tabs: the noun, its synonyms, its broader terms."""
    from importlib.resources import files  # imported here because it takes longer than all of this package

    return (files(__package__) / FILE).read_text(encoding="ascii").splitlines()
