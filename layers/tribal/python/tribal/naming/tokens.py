"""The product's only tokeniser: identifiers, questions and text become the same lower-case tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from itertools import chain, islice

from tribal.naming.languages.spaceless import (
    FUNCTION_WORDS,
    content_parts,
    is_spaceless,
    terms_to_find,
    terms_to_index,
)
from tribal.naming.stemming import stem

# Limits by judgement, far above what names and comments need; not measured.
MAX_TEXT_CHARS = 100_000
"""Characters of a text that are read; the rest is ignored."""
MAX_TOKENS = 4_096
"""The most tokens that one text yields."""
MAX_TOKEN_CHARS = 64
"""Longer tokens are cut, unless their script has no spaces; a PostgreSQL name has at most 63 bytes."""
MAX_TERMS = 4 * MAX_TOKENS
"""The most terms that one text is indexed by."""

STOP_WORDS: frozenset[str] = FUNCTION_WORDS | frozenset(
    """
    a about all also am an and any are as at be been being but by can could did do does doing done each every for
    from had has have having he her hers him his how i if in into is it its just let like many me might mine more most
    much must my nor not of on or our ours over per please shall she should so some such than that the their theirs
    them then there these they this those through to too under up us very was we were what when where whether which
    while who whom whose why will with would you your yours
    find give list return show tell
    """.split()
)
"""Words that do not help to find a table, including English verbs at the start of questions."""

_ASCII_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHORT_FORM = re.compile(r"(?<=[^\W\d_])(?:n['\u2019]t|['\u2019](?:s|ll|re|ve|d|m))(?![^\W_])", re.IGNORECASE)
_NAMED_BY_SIGN = re.compile(r"(?<![^\W_])(?:([cC])\+\+|([cCfFjJ])#)(?![^\W_])")


def split_identifier(identifier: str) -> list[str]:
    """Split a name at separators, case changes and digits: `custAddr_line2ID` gives cust, addr, line, 2, id.

    Tokens are NFKC-normalised, case-folded, and all letters or all digits. Splitting a token again changes nothing.
    """
    return _bounded(_words(_normalize(identifier)))


def tokenize_text(text: str) -> list[str]:
    """Split a question or text as `split_identifier` splits names, in reading order and with repetitions.

    Contractions lose their ending (`o'brien's` gives o, brien). Signs in names of languages become letters (`C++` gives
    cpp, `C#` gives csharp), so that every token can be searched.
    """
    normal = _normalize(text)
    if "'" in normal or "\u2019" in normal:
        normal = _SHORT_FORM.sub(" ", normal)
    if "+" in normal or "#" in normal:
        normal = _NAMED_BY_SIGN.sub(lambda sign: "cpp" if sign[1] else f"{sign[2]}sharp".lower(), normal)
    return _bounded(_words(normal))


def index_terms(text_or_identifier: str) -> list[str]:
    """Return the terms by which a name, a comment or a memory is found, with repetitions.

    Stop words are left out unless there are no other words, so that a table called `which` can be found.
    """
    return list(islice(terms_of(_content(tokenize_text(text_or_identifier))), MAX_TERMS))


def terms_of(words: Iterable[str]) -> Iterator[str]:
    """Yield the terms by which words are indexed: stems, or characters of scripts without spaces."""
    return chain.from_iterable(terms_to_index(word) if is_spaceless(word) else (stem(word),) for word in words)


def content_words(text: str) -> list[str]:
    """The words of a question without stop words; runs in scripts without spaces are split where such words are."""
    return _content(split_runs(tokenize_text(text)))


def split_runs(tokens: Iterable[str]) -> list[str]:
    """Split runs in scripts without spaces at their stop words, and cut what is longer than a token."""
    parts = chain.from_iterable(content_parts(token) if is_spaceless(token) else (token,) for token in tokens)
    return [part[:MAX_TOKEN_CHARS] for part in parts]


def query_terms(words: Iterable[str], known: Container[str] | None = None) -> list[str]:
    """Return the terms to look for, without repetitions.

    Args:
        words: of a question.
        known: limits the terms of a run in a script without spaces to these, since two words meet in the others; if
            none is known, the first one is returned.
    """
    found: dict[str, None] = {}
    for word in words:
        if not is_spaceless(word):
            found[stem(word)] = None
            continue
        terms = terms_to_find(word)
        found.update(dict.fromkeys([term for term in terms if known is None or term in known] or terms[:1]))
    return list(found)


def _content(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token not in STOP_WORDS] or tokens


def _bounded(words: Iterator[str]) -> list[str]:
    some = islice(words, MAX_TOKENS)
    return [word if len(word) <= MAX_TOKEN_CHARS or is_spaceless(word) else word[:MAX_TOKEN_CHARS] for word in some]


def _normalize(text: str) -> str:
    text = text[:MAX_TEXT_CHARS]
    return text if text.isascii() else unicodedata.normalize("NFKC", _without_long_mark_runs(text))


def _without_long_mark_runs(text: str) -> str:
    """Cut runs of combining marks that are longer than any token, since normalising sorts them in quadratic time."""
    kept: list[str] = []
    run = 0
    for char in text:
        run = run + 1 if unicodedata.combining(char) else 0
        if run <= MAX_TOKEN_CHARS:
            kept.append(char)
    return "".join(kept)


def _words(text: str) -> Iterator[str]:
    if text.isascii():
        return (found.group().lower() for found in _ASCII_WORD.finditer(text))
    return _unicode_words(_fold(_separate_case_changes(text)))


def _separate_case_changes(text: str) -> str:
    """Insert `_` where case starts a new word: after a lower-case letter, before an acronym's last capital."""
    parts: list[str] = []
    for position, char in enumerate(text):
        if position and _is_capital(char):
            before = text[position - 1]
            after = text[position + 1 : position + 2]
            small = (before.isalnum() or unicodedata.category(before).startswith("M")) and not _is_capital(before)
            if small or (_is_capital(before) and after.islower()):
                parts.append("_")
        parts.append(char)
    return "".join(parts)


def _is_capital(char: str) -> bool:
    # Cherokee folds lower case to capitals; what folding leaves alone is not a case change.
    return char.isupper() and char.casefold() != char


def _fold(text: str) -> str:
    for _ in range(4):
        folded = unicodedata.normalize("NFKC", text.casefold())
        if folded == text:
            break
        text = folded
    return text


def _unicode_words(text: str) -> Iterator[str]:
    word: list[str] = []
    kind = ""
    for char in text:
        kind_of_char = "digit" if char.isdecimal() else "spaceless" if is_spaceless(char) else "letter"
        is_mark = bool(word) and "digit" not in (kind, kind_of_char) and unicodedata.category(char).startswith("M")
        if word and not is_mark and (not char.isalnum() or kind_of_char != kind):
            yield "".join(word)
            word = []
        if is_mark:
            word.append(char)
        elif char.isalnum():
            word.append(char)
            kind = kind_of_char
    if word:
        yield "".join(word)
