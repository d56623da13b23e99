"""Numbers in text, which no evidence supports: they are row counts, ranges, sample values or invented."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from tribal.naming import split_identifier

_WORDS = re.compile(
    r"\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|[mb]illions?|trillions?|dozens?|two-thirds?"
    r"|(?:one|a|two|three) (?:half|third|quarter|fifth|tenth)s?(?= of)|half of|per ?cent of)\b",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"[$\u00a2-\u00a5\u20a0-\u20cf]|%|\u2030")
_MOST_DIGITS = 1
"""The most digits of a number in a name, such as `addr_line2`."""


def has_figure(sentence: str, own_names: Collection[str], human_text: Collection[str]) -> bool:
    """Whether a sentence has a number in digits or English words.

    A number that follows the same word in a name (`addr_line2`: "line 2") or in a person's text does not count.
    """
    if _CURRENCY.search(sentence) or _WORDS.search(sentence):
        return True
    if not any(map(_is_digit, sentence)):
        return False
    allowed = {pair for name in own_names for pair in _pairs(name, _MOST_DIGITS)}
    allowed |= {pair for text in human_text for pair in _pairs(text, len(text))}
    words = split_identifier(sentence)
    return any(_has_digit(word) and pair not in allowed for word, pair in zip(words, _all_pairs(words), strict=True))


def _pairs(text: str, most_digits: int) -> set[tuple[str, str]]:
    words = split_identifier(text)
    pairs = zip(words, _all_pairs(words), strict=True)
    return {pair for word, pair in pairs if _has_digit(word) and len(word) <= most_digits and pair[0]}


def _all_pairs(words: list[str]) -> list[tuple[str, str]]:
    return list(zip(["", *words], words, strict=False))


def _has_digit(word: str) -> bool:
    return any(map(_is_digit, word))


def _is_digit(char: str) -> bool:
    return unicodedata.category(char).startswith("N")
