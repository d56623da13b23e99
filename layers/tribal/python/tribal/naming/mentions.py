"""Find which names a free text mentions, without a list of all names.

A text mentions a name if they share a word. The words of a text are stored when it is indexed. The words of names are
computed per query, so the index stays correct when names are added to the catalog.
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
"""Longer texts are not searched for names and count as mentioning any name. Far below the tokeniser's limit."""
UNREAD = "@unread"
"""The word of a text that was too long to search; the words of every name include it."""

_QUOTE = '"'
"""Prefix of a word that is in quotes in the text."""
_NAME_TOKENS = 8
"""The most tokens of a name; in a longer one, every run of so many is a word. A judgement: real names are shorter."""
_RUN = re.compile(r"[\w$]+")
_IN_BACKTICKS = re.compile(r"`([^`\n]{1,200})`")
_WRITTEN = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_UNCOMMON = re.compile(r"[_$\d]")
_QUOTED = re.compile(r"""["`'\u201c\u2018\[]([^"`'\u201d\u2019\]\n]{1,128})["`'\u201d\u2019\]]""")


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names of the object that a text describes. Mentioning those adds nothing."""

    keys: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> OwnNames:
        """Collect the names of an object and of its parts."""
        tokens = [split_identifier(name) for name in names]
        return cls(
            frozenset(sign.join(several) for several in tokens for sign in ("_", "")),
            frozenset(stem(token) for several in tokens for token in several),
        )


NOTHING = OwnNames()


def mentioned_words(text: str, own: OwnNames = NOTHING) -> frozenset[str]:
    """Return the words by which a text may mention names.

    These are tokens other than everyday words, joined tokens of identifiers, qualifiers followed by a dot, and
    whatever is quoted or in backticks, with a quote as prefix.
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
    """Return the words by which texts of any length may mention names, read line by line."""
    return frozenset[str]().union(*(mentioned_words(line) for text in texts for line in text.splitlines()))


# Texts repeat the same words.
@lru_cache(maxsize=32_768)
def _words_of(run: str) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
    """Return the tokens of a run of letters with their stems, and the words that several of them form together."""
    tokens = split_identifier(run)
    distinctive = (token for token in tokens if token not in STOP_WORDS and not _is_everyday(token))
    return tuple((token, stem(token)) for token in distinctive), _joined(tokens)


def _joined(tokens: list[str]) -> frozenset[str]:
    """Join neighbouring tokens as in a name, with and without `_` between them, since text may lose the case."""
    if len(tokens) < 2:
        return frozenset()
    ends = ((start, start + length) for start in range(len(tokens)) for length in range(2, _NAME_TOKENS + 1))
    runs = [tokens[start:end] for start, end in ends if end <= len(tokens)]
    return frozenset(sign.join(run) for run in runs for sign in ("_", ""))


@dataclass(frozen=True, slots=True)
class Names:
    """Names of objects: qualifiers (schemas and databases), and all others."""

    spaces: frozenset[str]
    others: frozenset[str]


def words_of_names(wanted: Names, known: Names) -> frozenset[str]:
    """Return the words that mention the wanted names and no other known name; empty if no name is wanted.

    A one-word name is mentioned by that word, which has to be quoted if it is an everyday word. Other names are
    mentioned by all of their words together, or by one that is not an everyday word.
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
                found |= _distinctive_forms(token)
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
def _distinctive_forms(token: str) -> frozenset[str]:
    """Return singular and plural of a token that can only be a name; nothing for everyday words and numbers."""
    if token in STOP_WORDS or _is_everyday(token):
        return frozenset()
    return frozenset((token, singular(token), plural(token)))


def _is_everyday(token: str) -> bool:
    """Whether a token alone does not suggest a name: a dictionary word, a number or a single letter."""
    return len(token) < 2 or token.isdecimal() or is_word(token)


def _key(name: str) -> str:
    return "_".join(split_identifier(name)) or name.casefold()


def written_names(text: str) -> list[str]:
    """Return the parts of a text that are written as names: quoted, with several parts, or not spelt like words.

    Each is returned once: the quoted ones first, then the others in the order of the text.
    """
    found = [match[1] for match in _IN_BACKTICKS.finditer(text)]
    found += [name for match in _WRITTEN.finditer(text) if "." in (name := match[0]) or _UNCOMMON.search(name)]
    return list(dict.fromkeys(found))


def says_name(text: str, name: str) -> bool:
    """Whether a text says a name of one word in a way that means the thing, not the word.

    It is in quotes, next to the word "table" or "view", at the beginning of a sentence in lower case, or no everyday
    word.
    """
    said = rf"(?<![\w.]){re.escape(name)}(?![\w]|\.\w)"
    if not _is_everyday(name.casefold()) and re.search(said, text, re.IGNORECASE):
        return True
    kind = r"(?:tables?|views?|relations?)"
    nearby = rf"\b{kind}\s+{said}|{said}\s+{kind}\b|[\"'\u201c\u2018]{said}[\"'\u201d\u2019]"
    first = rf"(?:^|[.:;!?\n]\s*){said}"
    return bool(re.search(nearby, text, re.IGNORECASE)) or (name[:1].islower() and bool(re.search(first, text)))
