"""The product's only tokeniser: identifiers, questions and text become the same lower-case tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from tribal.naming.stemming import stem

# Limits by judgement, far above what names and comments need; not measured.
MAX_TEXT_CHARS = 100_000
"""Characters of a text that are read; the rest is ignored."""
MAX_TOKENS = 4_096
"""The most tokens that one text yields."""
MAX_TOKEN_CHARS = 64
"""Longer tokens are cut; a PostgreSQL name has at most 63 bytes."""

STOP_WORDS: frozenset[str] = frozenset(
    """
    a about all also am an and any are as at be been being but by can could did do does doing done each every for
    from had has have having he her hers him his how i if in into is it its just let like many me might mine more most
    much must my nor not of on or our ours over per please shall she should so some such than that the their theirs
    them then there these they this those through to too under up us very was we were what when where whether which
    while who whom whose why will with would you your yours
    find give list return show tell
    """.split()
)
"""English words that do not help to find a table, including verbs at the start of questions."""

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
    """Return the stems of a name, a comment or a question that are indexed and searched, with repetitions.

    Stop words are left out unless there are no other words, so that a table called `which` can be found.
    """
    tokens = tokenize_text(text_or_identifier)
    return [stem(token) for token in tokens if token not in STOP_WORDS] or [stem(token) for token in tokens]


def _bounded(words: Iterator[str]) -> list[str]:
    return [word[:MAX_TOKEN_CHARS] for word in islice(words, MAX_TOKENS)]


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
    of_digits = False
    for char in text:
        is_digit = char.isdecimal()
        is_mark = not is_digit and bool(word) and not of_digits and unicodedata.category(char).startswith("M")
        if word and not is_mark and (not char.isalnum() or is_digit != of_digits):
            yield "".join(word)
            word = []
        if is_mark or char.isalnum():
            word.append(char)
            of_digits = is_digit
    if word:
        yield "".join(word)
