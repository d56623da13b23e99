"""Recognise numbers and dates among sample values, and write the pattern that is shown instead of a value."""

from __future__ import annotations

import re
import unicodedata

# Cautious limits by judgement, not measured.
MAX_PATTERN_CHARS = 40
"""Longest pattern; a longer one is cut and ends in `...`."""
_SCAN_CHARS = 400
_RUN_WRITTEN_OUT = 4

_NUMBER = re.compile(r"[+-]?[0-9]{1,8}(?:\.[0-9]{1,8})?")
_TIME = r"[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_DATE_OR_TIME = re.compile(
    rf"[0-9]{{4}}-[01][0-9](?:-[0-3][0-9])?(?:[ T]{_TIME}(?:Z|[+-][0-9:]{{2,5}})?)?"
    rf"|[0-3]?[0-9][./-][0-3]?[0-9][./-][0-9]{{4}}|{_TIME}"
)
_SPACES = re.compile(" {2,}")
_LONG_RUN = re.compile(rf"(.)\1{{{_RUN_WRITTEN_OUT},}}")


def pattern_of(value: str) -> str:
    """Write a value with `A` and `a` for letters and `9` for digits; `a{12}` means twelve in a row.

    ASCII punctuation stays, runs of spaces become one space, and every other character becomes `*`.
    """
    start = value[:_SCAN_CHARS]
    masks = _ASCII_MASKS if start.isascii() else {ord(char): _mask(char) for char in set(start)}
    masked = _SPACES.sub(" ", start.translate(masks))
    pattern = _LONG_RUN.sub(lambda run: f"{run[1]}{{{len(run[0])}}}", masked)
    if len(pattern) <= MAX_PATTERN_CHARS and len(value) <= _SCAN_CHARS:
        return pattern
    return pattern[: MAX_PATTERN_CHARS - 3] + "..."


def is_number(value: str) -> bool:
    """Whether a value is a plain number with at most eight digits before and after the decimal point."""
    return _NUMBER.fullmatch(value) is not None


def is_date(value: str) -> bool:
    """Whether a value is a date, a time or both, in ISO form or written with dots, slashes or hyphens."""
    return _DATE_OR_TIME.fullmatch(value) is not None


def _mask(char: str) -> str | None:
    if char.isspace():
        return " "
    if char.isascii() and char.isprintable() and not char.isalnum():
        return char
    if char.isdecimal() or char.isnumeric():
        return "9"
    if char.isalpha():
        return "A" if char.isupper() or char.istitle() else "a"
    return None if unicodedata.category(char).startswith("M") else "*"


_ASCII_MASKS = {code: _mask(chr(code)) for code in range(128)}
