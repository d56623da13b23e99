"""Find personal data and secrets in values and texts by their patterns and check digits."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from operator import add

from tribal.masking.column_names import detect_by_name
from tribal.masking.kinds import SensitiveKind
from tribal.masking.name_patterns import NAME_RULES
from tribal.masking.national import NATIONAL_RULES
from tribal.masking.personal_patterns import ACCOUNT_RULES, EMAIL_RULES, HOME_RULES, MACHINE_RULES, PHONE_RULES
from tribal.masking.rules import AnyRule
from tribal.masking.secrets import PROSE_RULES, RANDOM_RULES, SECRET_RULES

__all__ = ["Span", "detect", "detect_by_name", "find_sensitive"]

_RULES: tuple[AnyRule, ...] = (
    *SECRET_RULES,
    *EMAIL_RULES,
    *ACCOUNT_RULES,
    *NATIONAL_RULES,
    *MACHINE_RULES,
    *PHONE_RULES,
    *HOME_RULES,
    *NAME_RULES,
    *RANDOM_RULES,
)


def _shortest(words: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the words that contain no other word; a text without these has none of the others either."""
    return tuple(word for word in dict.fromkeys(words) if not any(each != word and each in word for each in words))


_RANKED = tuple(
    (rank, rule, _shortest(rule.required), frozenset(word[:3] for word in rule.required))
    for rank, rule in enumerate(_RULES)
)
_OF_PROSE = frozenset(rank for rank, rule in enumerate(_RULES) if rule in PROSE_RULES)
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that must not be shown: `text[start:end]`."""

    start: int
    end: int
    kind: SensitiveKind


def find_sensitive(text: str, *, prose: bool = True) -> list[Span]:
    """Return every sensitive part of a text, from left to right. Overlapping parts are merged under the surer kind.

    Takes time linear in the length of the text.

    Args:
        prose: whether a word such as "password" marks values after or near it in the same sentence.
    """
    lower = text.lower()
    digits = sum(1 for _ in _DIGIT.finditer(text))
    found: list[tuple[int, int, int]] = []
    grams = _grams(lower) if len(text) <= _SHORT else None
    for rank, rule, words, starts in _RANKED:
        # Most texts lack the words that most rules require, so one look at the shortest words skips those rules.
        if words and grams is not None and starts.isdisjoint(grams):
            continue
        if not prose and rank in _OF_PROSE:
            continue
        if digits < rule.min_digits or (words and not _has_any(lower, words)):
            continue
        found.extend((start, end, rank) for start, end in rule.find(text))
    return [Span(start, end, _RULES[rank].kind) for start, end, rank in _merged(found)]


def _grams(text: str) -> set[str]:
    """Return all parts of one, two and three characters of a text."""
    pairs = list(map(add, text, text[1:]))
    return {*text, *pairs, *map(add, pairs, text[2:])}


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    # A loop: this runs for every rule and text, and `any` with a generator takes twice the time.
    for word in words:  # noqa: SIM110
        if word in text:
            return True
    return False


def detect(value: str) -> SensitiveKind | None:
    """Return the surest sensitive kind that a value is or contains; `None` if no pattern matches."""
    kinds = [span.kind for text in _forms(value) for span in find_sensitive(text)]
    return min(kinds, key=_RANK_OF_KIND.__getitem__, default=None)


def _forms(value: str) -> tuple[str, ...]:
    """Return a value and, if different, its compatibility form: full-width letters would hide an address otherwise."""
    if value.isascii() or len(value) > _NORMALIZED_CHARS:
        return (value,)
    return (value, unicodedata.normalize("NFKC", value))


def _merged(found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(found):
        if merged and start < merged[-1][1]:
            first, last, before = merged[-1]
            merged[-1] = (first, max(last, end), min(before, rank))
        else:
            merged.append((start, end, rank))
    return merged


_SHORT = 1_000
"""Up to this length, a set of all parts of a text is faster than searching it for words."""
_NORMALIZED_CHARS = 2_000
_RANK_OF_KIND = {rule.kind: rank for rank, rule in reversed(list(enumerate(_RULES)))}
