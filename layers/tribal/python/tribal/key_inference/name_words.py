"""Splits names of tables and columns into words to infer keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from tribal.naming import is_word, segment_all, singular, split_identifier

Words = tuple[str, ...]

_FEWEST_ALIKE = 3
"""Minimum number of names that must share a prefix before it is removed. By judgement: two may do so by chance."""
SURROGATES = frozenset("id key uid uuid guid sk fk pk".split())
"""Interchangeable words for a surrogate key: a reference may use another one than the table does."""
KEY_WORDS = SURROGATES | frozenset("code no nr num number".split())
_NOISE_FIRST = frozenset("t tb tbl tab table app dim lkp lu lookup ref mst".split())
_NOISE_LAST = frozenset("t tb tbl table dim lkp lookup mst master".split())
_GLUED = ("uuid", "guid", "code", "key", "id")
"""Key words at the end of a name without separators."""


@lru_cache(maxsize=65_536)
def words_of(name: str) -> Words:
    """The words of a name in the singular, with a glued key word split off and without numbers after a key word."""
    tokens: list[str] = []
    for token in split_identifier(name):
        tokens += _unglued(token)
    while len(tokens) > 1 and tokens[-1].isdigit() and tokens[-2] in KEY_WORDS:
        tokens.pop()
    return tuple(map(_one, tokens))


def _one(token: str) -> str:
    """The singular, including that of two-letter plurals, as in `add_ons`."""
    found = singular(token)
    return token[:-1] if found == token and len(token) == 3 and token[-1] == "s" and token[-2] != "s" else found


def _unglued(token: str) -> list[str]:
    if token in KEY_WORDS or is_word(token):
        return [token]
    for end in _GLUED:
        if token.endswith(end) and len(token) > len(end):
            return [*segment_all([token[: -len(end)]]), end]
    return segment_all([token])


def glue(words: Sequence[str]) -> str:
    """Words without separators, to compare names that separate them differently."""
    return "".join(words)


def table_names(words: Words) -> list[Words]:
    """The names of a table: its own, and the same without words such as `tbl`."""
    shorter = words[1:] if len(words) > 1 and words[0] in _NOISE_FIRST else words
    shorter = shorter[:-1] if len(shorter) > 1 and shorter[-1] in _NOISE_LAST else shorter
    return [words] if shorter == words else [words, shorter]


def common_start(names: Sequence[Words]) -> Words:
    """The words that all names begin with, leaving each at least one word."""
    if len(names) < 2:
        return ()
    shortest = max(0, min(map(len, names)) - 1)
    alike = takewhile(lambda each: len(set(each)) == 1, zip(*(name[:shortest] for name in names), strict=True))
    return tuple(each[0] for each in alike)


def common_letters(names: Sequence[str]) -> str:
    """The letters that all names without separators begin with, such as `sbtx` in `sbtxid`."""
    if len(names) < _FEWEST_ALIKE or not all(name.isalnum() for name in names):
        return ""
    alike = "".join(takewhile(str, (each[0] if len(set(each)) == 1 else "" for each in zip(*names, strict=False))))
    return alike if len(alike) > 1 and all(len(name) > len(alike) for name in names) else ""


def is_key_like(words: Words) -> bool:
    """Whether a name ends with a key word."""
    return bool(words) and words[-1] in KEY_WORDS


def is_plural(name: str) -> bool:
    """Whether the last word of a name is a plural."""
    tokens = split_identifier(name)
    return bool(tokens) and _one(tokens[-1]) != tokens[-1]


def is_surrogate(words: Words) -> bool:
    """Whether a name ends with a word for a surrogate key."""
    return bool(words) and words[-1] in SURROGATES


def is_specific(words: Words) -> bool:
    """Whether a name shows which table's key it is; plain `id` occurs everywhere."""
    return bool(words) and not KEY_WORDS.issuperset(words)
