"""English nouns of the same meaning, and of a broader one: people say "road" of what a table calls a way.

The words are WordNet's, written down by `python -m bench.thesaurus`; `WORD_LISTS.txt` beside them has its licence.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache
from pathlib import Path

from tribal.naming.inflection import singular

FILE = Path(__file__).with_name("thesaurus.txt")


def synonyms(word: str) -> tuple[str, ...]:
    """Words of the same meaning as a noun in lower case, in either number, in any of its three most used senses."""
    return _listed(word)[0]


def broader(word: str) -> tuple[str, ...]:
    """What such a noun is a kind of, in its most used sense."""
    return _listed(word)[1]


@lru_cache(maxsize=4_096)
def _listed(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    start = f"{singular(word)}\t"
    lines = _lines()
    place = bisect_left(lines, start)
    if place == len(lines) or not lines[place].startswith(start):
        return (), ()
    _, same, wider = lines[place].split("\t")
    return tuple(same.split()), tuple(wider.split())


@cache
def _lines() -> list[str]:
    return FILE.read_text(encoding="ascii").splitlines()
