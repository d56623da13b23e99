"""Whether a text shares any evidence with what it describes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tribal.naming import broader, is_word, singular, split_identifier, synonyms
from tribal.sql.type_families import type_family
from tribal.text_checks.evidence.roots import roots_of, without_accents
from tribal.text_checks.evidence.vocabulary import SAME_THINGS, TYPE_WORDS
from tribal.text_checks.evidence.words import (
    are_english,
    content_of,
    is_content,
    is_english,
    joined,
    specific,
    specific_roots,
    tokens_of,
    words_of_name,
    words_of_names,
)
from tribal.text_checks.plain_names import KnownNames
from tribal.text_checks.sentences import handles_in, plain

_FEWEST_WORDS = 3
"""Shorter texts say too little to be judged: "Failure description", "How urgent it is"."""
_MOST_WORDS = 8
"""The most specific words that a generic word, or a table without a key to this one, supports. A judgement: most
sentences about a column have fewer."""
_ABBREVIATION_CHARS = range(3, 7)
_LETTER_WORDS = frozenset("AI")
"""Values that are English words too."""
_EXACT_CHARS = 2
"""Values up to this length are compared with their case."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a text describes."""

    names: tuple[str, ...]
    """Names of the table or column, or of the tables of a domain."""
    related: tuple[str, ...] = ()
    """For a column, the names of its table and of the tables that its keys reference."""
    values: tuple[str, ...] = ()
    """Values that its type, a check or a look-up table allows."""
    texts: tuple[str, ...] = ()
    """What people and the database say of it, and sample values and patterns."""
    type: str = ""
    """Type of the column."""


@dataclass(frozen=True)
class EvidenceCheck:
    """Checks the texts about one table and its columns, or about a domain.

    Any of these is evidence: a handle; a word of its names, values, comments or surroundings, in any form of its
    family, as a synonym or as a broader term; an abbreviation that the text spells out. Words of any database are
    evidence only if the text has few others, and so are words that fit its type and names of unrelated tables.
    """

    names: tuple[str, ...]
    """Names of the table and its columns, or of the domain's tables: they show whether words can be compared."""
    surroundings: tuple[str, ...] = ()
    """Names of the schema and of related tables."""
    texts: tuple[str, ...] = ()
    """Other text that was shown: definitions, checks, defaults, what is said of related tables, terms."""
    handles: Collection[str] = ()
    """The given handles, without brackets."""
    known: KnownNames | None = None
    """The names of the catalog."""
    language: str = "English"
    """The language of the texts."""
    is_strict: bool = False
    """Whether only the subject's own names, values and comments are evidence, also for short texts."""

    def is_unsupported(self, text: str, subject: Subject) -> bool:
        """Whether a text, with handles as the model wrote them, shares no evidence with its subject.

        Texts that are not in English, say too little, or consist of words of any database are never unsupported.
        """
        if not self._can_judge:
            return False
        tokens = tokens_of(text)
        words = content_of(tokens)
        if self.is_strict:
            return not (any(_has_value(text, value) for value in subject.values) or _is_about(words, tokens, subject))
        if not specific(words) or len(set(filter(is_content, tokens))) < _FEWEST_WORDS:
            return False
        return not (
            any(handle in self.handles for handle in handles_in(text))
            or any(_has_value(text, value) for value in subject.values)
            or self._has_own_word(words, tokens, subject)
            or not specific_roots(words).isdisjoint(self._around)
            or _means_the_same(words, subject)
            or (len(specific(words)) <= _MOST_WORDS and self._has_weak_evidence(words, tokens, subject))
        )

    @cached_property
    def _can_judge(self) -> bool:
        """Whether both the texts and the names are in English."""
        return self.language.lower().startswith("english") and are_english(self.names)

    @cached_property
    def _around(self) -> frozenset[str]:
        names = words_of_names((*self.names, *self.surroundings))
        return specific_roots((*names, *_words_of(self.texts)))

    def _has_own_word(self, words: list[str], tokens: list[str], subject: Subject) -> bool:
        own = words_of_names(subject.names)
        near = {*own, *words_of_names(subject.related), *_words_of((*subject.values, *subject.texts))}
        if not specific_roots(words).isdisjoint(specific_roots(near)) or not joined(tokens).isdisjoint(own):
            return True
        return any(_spells_out(words, tokens, short) for name in subject.names for short in split_identifier(name))

    def _has_weak_evidence(self, words: list[str], tokens: list[str], subject: Subject) -> bool:
        own = {*words_of_names(subject.names), *_words_of((*subject.values, *subject.texts))}
        if not roots_of(words).isdisjoint(roots_of(own)) or self._names_a_table(words):
            return True
        if not subject.type:
            return False
        fitting = TYPE_WORDS.get(type_family(subject.type), frozenset()) | words_of_name(subject.type)
        return not fitting.isdisjoint(tokens)

    def _names_a_table(self, words: list[str]) -> bool:
        if self.known is None:
            return False
        return any(self.known.has_table(frozenset((singular(word),))) for word in specific(words))


def _is_about(words: list[str], tokens: list[str], subject: Subject) -> bool:
    """Whether a text has a word of the names or comments of its subject, a synonym, or what its abbreviations mean."""
    alone = replace(subject, related=())
    own = {*words_of_names(alone.names), *_words_of(alone.texts)}
    return (
        not roots_of(words).isdisjoint(roots_of(own))
        or not joined(tokens).isdisjoint(own)
        or _means_the_same(words, alone)
        or any(_spells_out(words, tokens, short) for name in alone.names for short in split_identifier(name))
    )


def _words_of(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from content_of(tokens_of(text))


def _means_the_same(words: list[str], subject: Subject) -> bool:
    """Whether a word is a synonym or a narrower term of a word of the names."""
    named = specific(words_of_names((*subject.names, *subject.related)))
    same = [each for word in named for each in (*synonyms(word), *_same_things(word))]
    wider = [each for word in words for each in (*synonyms(word), *broader(word))]
    return not specific_roots(same).isdisjoint(specific_roots(words)) or not specific_roots(wider).isdisjoint(
        roots_of(named)
    )


def _same_things(word: str) -> Iterator[str]:
    for group in SAME_THINGS:
        if singular(word) in group:
            yield from group


def _spells_out(words: list[str], tokens: list[str], short: str) -> bool:
    """Whether a text has the words that an unknown abbreviation may mean: its initials, or a word with its letters."""
    if len(short) not in _ABBREVIATION_CHARS or not short.isalpha() or is_word(short):
        return False
    if short in "".join(token[0] for token in tokens):
        return True
    return not is_english(short) and any(_is_short_for(short, word) for word in specific(words))


def _is_short_for(short: str, word: str) -> bool:
    letters = iter(word)
    return len(word) > len(short) + 1 and word[0] == short[0] and all(letter in letters for letter in short)


def _has_value(text: str, value: str) -> bool:
    value = plain(value).strip()
    if not value or value in _LETTER_WORDS:
        return False
    flags = re.NOFLAG if len(value) <= _EXACT_CHARS else re.IGNORECASE
    return (
        re.search(rf"(?<!\w){re.escape(without_accents(value))}(?!\w)", without_accents(plain(text)), flags) is not None
    )
