"""Spells out the abbreviations in database names: `cust_addr_id` reads "customer address id".

`expand` is for text that people read, so it returns only certain meanings. `likely_words` is for search and may guess:
a wrong guess finds one table too many and is never shown.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import zip_longest

from tribal.naming.abbreviation_evidence import EVIDENCE
from tribal.naming.abbreviation_table import ABBREVIATIONS, ACRONYMS, ENGLISH_WORDS, USUAL
from tribal.naming.inflection import plural, singular

_NUMBER_AT_THE_END = frozenset({"no", "nos"})


def expand(token: str) -> str:
    """Return the only usual meaning of a token, possibly several words, otherwise the token itself."""
    if token in ABBREVIATIONS:
        return USUAL.get(token, token)
    short = singular(token)
    return plural(USUAL[short]) if short != token and short in USUAL else token


def likely_words(tokens: Sequence[str], context: Set[str] = frozenset()) -> list[str]:
    """Return the words of one identifier, with each token spelt out as its most likely meaning.

    The other tokens decide between meanings, then the context. `no` means number only at the end or before `of`
    (`order_no`, not `no_show`).
    """
    siblings = frozenset(tokens)
    words: list[str] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        if token in _NUMBER_AT_THE_END and following not in (None, "of"):
            words.append(token)
        else:
            words.extend(_likeliest(token, context, siblings).split())
    return words


def is_acronym(word: str) -> bool:
    """Whether the lower-case word is a known acronym, such as `url` or its plural `urls`."""
    return word in ACRONYMS or (word.endswith("s") and word[:-1] in ACRONYMS)


def _likeliest(token: str, elsewhere: Set[str], siblings: Set[str]) -> str:
    meanings = ABBREVIATIONS.get(token)
    if meanings is None:
        return _plural_of_likeliest(token, elsewhere, siblings)
    if token in ENGLISH_WORDS and _mentions(elsewhere, token):
        return token
    if len(meanings) == 1:
        return meanings[0]
    return max(meanings, key=lambda meaning: _evidence(meaning, token, elsewhere, siblings))


def _plural_of_likeliest(token: str, elsewhere: Set[str], siblings: Set[str]) -> str:
    short = token[:-1]
    if len(token) < 3 or not token.endswith("s") or short not in ABBREVIATIONS or short in ENGLISH_WORDS:
        return token
    return plural(_likeliest(short, elsewhere, siblings))


def _evidence(meaning: str, token: str, elsewhere: Set[str], siblings: Set[str]) -> int:
    """Return the evidence for a meaning. Its own words count most; words of the same identifier count more than others.

    The weights 4, 2 and 1 are a judgement, not a measurement.
    """
    spelt_out = 4 if meaning != token and all(_mentions(elsewhere, word) for word in meaning.split()) else 0
    words = EVIDENCE.get(meaning, ())
    return spelt_out + sum(2 * _mentions(siblings, word) + _mentions(elsewhere, word) for word in words)


def _mentions(words: Set[str], word: str) -> bool:
    return word in words or plural(word) in words
