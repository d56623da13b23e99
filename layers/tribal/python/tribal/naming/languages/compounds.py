"""Words that are written as one with others, as in German: a `Rechnung` is in `Kundenrechnungen`.

There is no list of the words of a language. A word that nothing else has is looked for in the longer words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from tribal.naming.languages.spaceless import is_spaceless
from tribal.naming.segmentation import LISTED_WORDS, is_word
from tribal.naming.stemming import stem

# By judgement: shorter words are in too many others.
_SHORTEST_PART = 5
_SHORTEST_WHOLE = 6
_SHORTEST_REST = 3
"""Letters that come at least before a word within another."""


def may_be_compound(term: str) -> bool:
    """Whether the stem of a word may have another word in it: long, of letters, and not of a listed English word."""
    return len(term) >= _SHORTEST_WHOLE and term.isalpha() and not is_spaceless(term) and term not in _english_stems()


def may_be_part(word: str) -> bool:
    """Whether a word is long enough to be looked for within others."""
    return len(word) >= _SHORTEST_PART and word.isalpha() and not is_spaceless(word)


def with_part(word: str, terms: Iterable[str]) -> list[str]:
    """The stems that contain a word, the shortest first: at their start, or after a few letters.

    Only endings of a letter are ignored. A word that is English is rather followed by an ending than by a word.
    """
    stemmed = stem(word)
    part = stemmed if len(word) - len(stemmed) <= 1 else word
    may_start, may_follow = not is_word(word), len(part) >= _SHORTEST_PART
    found = [
        term
        for term in terms
        if (may_start and term.startswith(part)) or (may_follow and term.find(part, _SHORTEST_REST) > 0)
    ]
    return sorted(found, key=lambda term: (len(term), term))


@cache
def _english_stems() -> frozenset[str]:
    return frozenset(map(stem, LISTED_WORDS))
