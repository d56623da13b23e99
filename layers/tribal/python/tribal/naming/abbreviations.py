"""Spells out the abbreviations in database names: `cust_addr_id` reads "customer address id".

`expand` is for text that people read, so it returns only certain meanings. `likely_words` is for search and may guess:
a wrong guess finds one table too many and is never shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from itertools import zip_longest

from tribal.naming.abbreviation_evidence import EVIDENCE, PAIRED
from tribal.naming.abbreviation_table import ABBREVIATIONS, ACRONYMS, ENGLISH_WORDS, NEVER_SPELT_OUT, USUAL
from tribal.naming.inflection import plural, singular

_SHORTEST_SPELT_OUT = 3
"""Two letters are too ambiguous: `hr` is an hour or a department; `pd` is paid, period or police department."""
_MOST_MEANINGS = 3
"""An abbreviation with more meanings probably has yet another one in the next schema."""
_NUMBER_AT_THE_END = frozenset({"no", "nos"})


def expand(token: str, context: Collection[str] = ()) -> str:
    """Return the certain meaning of a token, possibly several words; the token itself if there is no certain one.

    A meaning is certain if it is the only usual one, or the only one that occurs in full in `context`: the lower-case
    words of the rest of the table or catalog (a set is fastest).
    """
    return _certain(token, _as_set(context), frozenset())


def likely_words(tokens: Sequence[str], context: Collection[str] = ()) -> list[str]:
    """Return the words of one identifier, with each token spelt out as its most likely meaning.

    The other tokens decide between meanings, then the context. `no` means number only at the end or before `of`
    (`order_no`, not `no_show`).
    """
    elsewhere = _as_set(context)
    siblings = frozenset(tokens)
    words: list[str] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        if token in _NUMBER_AT_THE_END and following not in (None, "of"):
            words.append(token)
        else:
            words.extend(_likeliest(token, elsewhere, siblings).split())
    return words


def is_acronym(word: str) -> bool:
    """Whether the lower-case word is a known acronym, such as `url` or its plural `urls`."""
    return word in ACRONYMS or (word.endswith("s") and word[:-1] in ACRONYMS)


def _as_set(words: Collection[str]) -> Set[str]:
    return words if isinstance(words, Set) else frozenset(words)


def _certain(token: str, elsewhere: Set[str], siblings: Set[str]) -> str:
    if token in USUAL:
        return USUAL[token]
    if token in ABBREVIATIONS:
        return _supported(token, elsewhere, siblings)
    short = singular(token)
    return plural(USUAL[short]) if short != token and short in USUAL else token


def _supported(token: str, elsewhere: Set[str], siblings: Set[str]) -> str:
    """Return the only meaning that the surrounding words support, else the token itself."""
    if token in PAIRED and any(_mentions(words, other) for words in (elsewhere, siblings) for other in PAIRED[token]):
        return ABBREVIATIONS[token][0]
    meanings = ABBREVIATIONS[token]
    if len(token) < _SHORTEST_SPELT_OUT or len(meanings) > _MOST_MEANINGS or token in NEVER_SPELT_OUT:
        return token
    around = elsewhere | siblings
    # The words of "user id" occur in every schema, so they say nothing about `uid`.
    spelt_out = [meaning for meaning in meanings if _mentions(around, meaning)]
    hinted = [meaning for meaning in meanings if any(_mentions(around, word) for word in EVIDENCE.get(meaning, ()))]
    return spelt_out[0] if len(spelt_out) == 1 and set(hinted) <= set(spelt_out) else token


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
