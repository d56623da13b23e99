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
    pattern = _ascii_pattern(start) if start.isascii() else _any_pattern(start)
    if len(pattern) <= MAX_PATTERN_CHARS and len(value) <= _SCAN_CHARS:
        return pattern
    return pattern[: MAX_PATTERN_CHARS - 3] + "..."


def _ascii_pattern(text: str) -> str:
    masked = _SPACES.sub(" ", text.translate(_ASCII_MASKS))
    return _LONG_RUN.sub(lambda run: f"{run[1]}{{{len(run[0])}}}", masked)


def _any_pattern(text: str) -> str:
    runs: list[tuple[str, int]] = []
    for char in text:
        mask = _mask(char)
        if mask is None:
            continue
        if runs and runs[-1][0] == mask and mask != " ":
            runs[-1] = (mask, runs[-1][1] + 1)
        elif not runs or runs[-1][0] != mask:
            runs.append((mask, 1))
    return "".join(mask * count if count <= _RUN_WRITTEN_OUT else f"{mask}{{{count}}}" for mask, count in runs)


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
