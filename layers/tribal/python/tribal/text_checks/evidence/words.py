"""The words of names and texts that are compared with each other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tribal.naming import (
    STOP_WORDS,
    glued,
    is_acronym,
    is_noun,
    is_word,
    read_name,
    segment_all,
    singular,
    split_identifier,
    stem,
    tokenize_text,
)
from tribal.text_checks.evidence.roots import roots_of, without_accents
from tribal.text_checks.evidence.vocabulary import GENERIC_STEMS
from tribal.text_checks.sentences import hide_handles, plain

_MAX_CHARS = 5_000
"""The part of a text that is read; descriptions are far shorter."""
_FUNCTION_WORDS = STOP_WORDS - {"find", "give", "list", "return", "show", "tell"}
_SHORTEST_JUDGED = 3
"""The fewest letters of a word that shows which language a name is in."""


@lru_cache(maxsize=16_384)
def words_of_name(name: str) -> frozenset[str]:
    """Return the words of a name in every reading: as written, segmented, spelt out, and neighbours joined."""
    tokens = split_identifier(without_accents(name))
    return frozenset(filter(is_content, (*tokens, *segment_all(tokens), *read_name(name)[1])))


def words_of_names(names: Iterable[str]) -> frozenset[str]:
    """Return the words of several names."""
    return frozenset(word for name in names for word in words_of_name(name))


def tokens_of(text: str) -> list[str]:
    """Return all words of a text in reading order, function words included; handles are left out."""
    return tokenize_text(without_accents(plain(hide_handles(text[:_MAX_CHARS]))))


def content_of(tokens: Iterable[str]) -> list[str]:
    """Return the words that are not function words, also the parts of those written as one."""
    found = list(tokens)
    return [word for word in dict.fromkeys((*found, *segment_all(found))) if is_content(word)]


def joined(tokens: list[str]) -> frozenset[str]:
    """Return each two neighbouring words as one: a name may have "file name" as `filename`."""
    return frozenset(glued(tokens))


def specific(words: Iterable[str]) -> list[str]:
    """Return the words that do not occur in descriptions of any database."""
    return [word for word in words if not _is_generic(word)]


def specific_roots(words: Iterable[str]) -> frozenset[str]:
    """Return the roots of such words."""
    return roots_of(specific(words))


def are_english(names: Iterable[str]) -> bool:
    """Whether at least half of the words of these names are English words, acronyms or known abbreviations."""
    words = [word for name in names for word in segment_all(split_identifier(name)) if len(word) >= _SHORTEST_JUDGED]
    judged = list(filter(str.isalpha, words))
    return 2 * sum(map(is_english, judged)) >= len(judged)


def is_english(word: str) -> bool:
    """Whether a word is English, an acronym, or an abbreviation of English words."""
    return is_word(word) or is_acronym(word) or is_noun(word) or read_name(word)[0] != (word,)


def is_content(word: str) -> bool:
    """Whether a token is a word other than a function word."""
    return len(word) > 1 and word.isalpha() and word not in _FUNCTION_WORDS


@lru_cache(maxsize=16_384)
def _is_generic(word: str) -> bool:
    return stem(word) in GENERIC_STEMS or stem(singular(word)) in GENERIC_STEMS
