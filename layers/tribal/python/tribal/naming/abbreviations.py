"""Spells out the abbreviations in database names: `cust_addr_id` reads "customer address id"."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from itertools import zip_longest

from tribal.naming.abbreviation_evidence import EVIDENCE
from tribal.naming.abbreviation_table import ABBREVIATIONS, ACRONYMS, ENGLISH_WORDS
from tribal.naming.inflection import plural
from tribal.naming.tokens import split_identifier

_NUMBER_AT_THE_END = frozenset({"no", "nos"})


def expand(token: str, context: Collection[str] = ()) -> str:
    """What a token stands for, which may be several words; the token itself if it is unknown.

    `context` holds lower-case words seen elsewhere in the same table or catalog (a set is fastest). They decide between
    the meanings of an ambiguous token; a token that is an English word there is left alone.
    """
    return _expand(token, _as_set(context), frozenset())


def expand_tokens(tokens: Sequence[str], context: Collection[str] = ()) -> list[str]:
    """The tokens of one identifier as single words, spelt out; each token helps to decide what the others mean.

    `no` means a number only at the end or before `of` (`order_no`, not `no_show`).
    """
    elsewhere = _as_set(context)
    siblings = frozenset(tokens)
    words: list[str] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        if token in _NUMBER_AT_THE_END and following not in (None, "of"):
            words.append(token)
        else:
            words.extend(_expand(token, elsewhere, siblings).split())
    return words


def humanize(identifier: str, context: Collection[str] = (), *, acronyms: bool = False) -> str:
    """An identifier as words: `cust_addr_id` gives "customer address id", or "... ID" with `acronyms`."""
    words = expand_tokens(split_identifier(identifier), context)
    return " ".join(_capitals(word) if acronyms else word for word in words)


def is_acronym(word: str) -> bool:
    """Whether the lower-case word is a known acronym, such as `url` or its plural `urls`."""
    return word in ACRONYMS or (word.endswith("s") and word[:-1] in ACRONYMS)


def _capitals(word: str) -> str:
    if word in ACRONYMS:
        return word.upper()
    return word[:-1].upper() + "s" if is_acronym(word) else word


def _as_set(words: Collection[str]) -> Set[str]:
    return words if isinstance(words, Set) else frozenset(words)


def _expand(token: str, elsewhere: Set[str], siblings: Set[str]) -> str:
    meanings = ABBREVIATIONS.get(token)
    if meanings is None:
        return _expand_plural(token, elsewhere, siblings)
    if token in ENGLISH_WORDS and _mentions(elsewhere, token):
        return token
    if len(meanings) == 1:
        return meanings[0]
    return max(meanings, key=lambda meaning: _evidence(meaning, token, elsewhere, siblings))


def _expand_plural(token: str, elsewhere: Set[str], siblings: Set[str]) -> str:
    short = token[:-1]
    if len(token) < 3 or not token.endswith("s") or short not in ABBREVIATIONS or short in ENGLISH_WORDS:
        return token
    return plural(_expand(short, elsewhere, siblings))


def _evidence(meaning: str, token: str, elsewhere: Set[str], siblings: Set[str]) -> int:
    """The evidence for a meaning: the words themselves count most, words of the same identifier more than others.

    The counts 4, 2 and 1 are chosen by judgement, and not measured.
    """
    spelt_out = 4 if meaning != token and all(_mentions(elsewhere, word) for word in meaning.split()) else 0
    words = EVIDENCE.get(meaning, ())
    return spelt_out + sum(2 * _mentions(siblings, word) + _mentions(elsewhere, word) for word in words)


def _mentions(words: Set[str], word: str) -> bool:
    return word in words or plural(word) in words
