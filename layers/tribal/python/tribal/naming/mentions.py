"""Which names a free text mentions, told without a list of all names: a text yields words, and names yield words too.

A text mentions a name when they share a word. Texts yield theirs when they are indexed, names when somebody asks, so
that what is indexed stays right whatever is added to the catalog later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from tribal.naming.inflection import plural, singular
from tribal.naming.segmentation import is_word
from tribal.naming.stemming import stem
from tribal.naming.tokens import STOP_WORDS, split_identifier
from tribal.sql.qualifiers import qualifiers

MAX_READ_CHARS = 4_000
"""Longer texts are not read for names: they count as mentioning anything. Far below what the tokeniser looks at."""
UNREAD = "@unread"
"""The word of a text that was not read; it is among the words of any names."""

_QUOTE = '"'
"""Stands before a word that a text has in quotes."""
_NAME_TOKENS = 8
"""Tokens of a name; of longer ones every run of that many is a word. By judgement, beyond what people name things."""
_RUN = re.compile(r"[\w$]+")
_IN_BACKTICKS = re.compile(r"`([^`\n]{1,200})`")
_WRITTEN = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_UNCOMMON = re.compile(r"[_$\d]")
_QUOTED = re.compile(r"""["`'\u201c\u2018\[]([^"`'\u201d\u2019\]\n]{1,128})["`'\u201d\u2019\]]""")


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names of what a text is about: mentioning those tells nothing new."""

    keys: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> OwnNames:
        """The names of an object and of its parts."""
        tokens = [split_identifier(name) for name in names]
        return cls(
            frozenset(sign.join(several) for several in tokens for sign in ("_", "")),
            frozenset(stem(token) for several in tokens for token in several),
        )


NOTHING = OwnNames()


def mentioned_words(text: str, own: OwnNames = NOTHING) -> frozenset[str]:
    """The words by which a text may mention names.

    These are tokens that are no everyday words, joined tokens of identifiers, qualifiers with a dot behind them, and
    whatever is quoted or in backticks, with a quote before it.
    """
    if len(text) > MAX_READ_CHARS:
        return frozenset((UNREAD,))
    found: set[str] = set()
    for run in set(_RUN.findall(text)):
        tokens, joined = _words_of(run)
        found |= {token for token, root in tokens if root not in own.stems}
        found |= joined - own.keys
    code = (run for phrase in _IN_BACKTICKS.findall(text) for run in _RUN.findall(phrase))
    for phrase in (*_QUOTED.findall(text), *code):
        found |= {f"{sign}{key}" for key in {_key(phrase)} - own.keys for sign in ("", _QUOTE)}
    return frozenset(found | {f"{_key(name)}." for name in qualifiers(text)})


def mentioned_in(texts: Iterable[str]) -> frozenset[str]:
    """The words by which texts of any length may mention names, read line by line."""
    return frozenset[str]().union(*(mentioned_words(line) for text in texts for line in text.splitlines()))


# Texts say the same words again and again.
@lru_cache(maxsize=32_768)
def _words_of(run: str) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
    """The tokens of a run of letters with their stems, and what several of them make together."""
    tokens = split_identifier(run)
    telling = (token for token in tokens if token not in STOP_WORDS and not _is_everyday(token))
    return tuple((token, stem(token)) for token in telling), _joined(tokens)


def _joined(tokens: list[str]) -> frozenset[str]:
    """Tokens that follow each other, joined as in a name, and without anything between them: case gets lost."""
    if len(tokens) < 2:
        return frozenset()
    ends = ((start, start + length) for start in range(len(tokens)) for length in range(2, _NAME_TOKENS + 1))
    runs = [tokens[start:end] for start, end in ends if end <= len(tokens)]
    return frozenset(sign.join(run) for run in runs for sign in ("_", ""))


@dataclass(frozen=True, slots=True)
class Names:
    """Names of objects: those that stand before a dot, which are schemas and databases, and all others."""

    spaces: frozenset[str]
    others: frozenset[str]


def words_of_names(wanted: Names, known: Names) -> frozenset[str]:
    """The words that mention the wanted names, as far as no known name has them too; empty if nothing is wanted.

    A name of one word is mentioned by that word, which has to be quoted if it is an everyday word. Other names are
    mentioned by all of their words together, or by one that is no everyday word.
    """
    keys, stems = _keys_and_stems(known.spaces | known.others)
    found: set[str] = set()
    for name in wanted.spaces | wanted.others:
        tokens = split_identifier(name)
        key = "_".join(tokens) or name.casefold()
        if key in keys:
            continue
        if len(tokens) > 1:
            runs = [tokens[start : start + _NAME_TOKENS] for start in range(_runs(tokens))]
            found |= {sign.join(run) for run in runs for sign in ("_", "")}
        elif not tokens or stem(key) not in stems:
            found |= {f"{_QUOTE}{key}"} if _is_everyday(key) else {f"{_QUOTE}{key}", key}
        for token in tokens:
            if stem(token) not in stems:
                found |= _telling_forms(token)
    spaces = {_key(name) for name in known.spaces}
    found |= {f"{_key(name)}." for name in wanted.spaces if _key(name) not in spaces}
    return frozenset(found | {UNREAD}) if wanted.spaces | wanted.others else frozenset()


def _runs(tokens: list[str]) -> int:
    return max(1, len(tokens) - _NAME_TOKENS + 1)


def _keys_and_stems(names: Iterable[str]) -> tuple[set[str], set[str]]:
    keys, tokens = set(), set()
    for name in names:
        several = split_identifier(name)
        keys.add("_".join(several) or name.casefold())
        tokens.update(several)
    return keys, {stem(token) for token in tokens}


@lru_cache(maxsize=32_768)
def _telling_forms(token: str) -> frozenset[str]:
    """Singular and plural of a token that alone tells that a name is meant; none of everyday words and numbers."""
    if token in STOP_WORDS or _is_everyday(token):
        return frozenset()
    return frozenset((token, singular(token), plural(token)))


def _is_everyday(token: str) -> bool:
    """Whether a token alone says nothing of a name: a word of the dictionary, a number or a single letter."""
    return len(token) < 2 or token.isdecimal() or is_word(token)


def _key(name: str) -> str:
    return "_".join(split_identifier(name)) or name.casefold()


def written_names(text: str) -> list[str]:
    """What in a text is written as a name: quoted, of several parts, or not spelled as words are.

    Each once: the quoted ones first, then in order of the text.
    """
    found = [match[1] for match in _IN_BACKTICKS.finditer(text)]
    found += [name for match in _WRITTEN.finditer(text) if "." in (name := match[0]) or _UNCOMMON.search(name)]
    return list(dict.fromkeys(found))
