"""What sample values look like: numbers, dates, codes, or anything else, of which only a pattern is shown."""

from __future__ import annotations

import re
import unicodedata

from tribal.masking.personal_names import PERSONAL_NAMES

# Chosen by judgement, on the side of caution, and not measured.
MAX_PATTERN_CHARS = 40
"""Characters of a pattern; a longer one ends in `...`."""
MAX_CODE_CHARS = 24
"""Characters of a code, which is the longest value ever shown."""
MAX_DIGITS = 8
"""Digits of a number or a code; anything longer may be somebody's number."""

_SCAN_CHARS = 400
_RUN_WRITTEN_OUT = 4

_NUMBER = re.compile(r"[+-]?[0-9]{1,8}(?:\.[0-9]{1,8})?")
_TIME = r"[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_DATE_OR_TIME = re.compile(
    rf"[0-9]{{4}}-[01][0-9](?:-[0-3][0-9])?(?:[ T]{_TIME}(?:Z|[+-][0-9:]{{2,5}})?)?"
    rf"|[0-3]?[0-9][./-][0-3]?[0-9][./-][0-9]{{4}}|{_TIME}"
)
_CODE = re.compile(rf"[A-Za-z0-9_./+-]{{1,{MAX_CODE_CHARS}}}")
_LETTERS = re.compile(r"[A-Za-z]+")
_SPACES = re.compile(" {2,}")
_LONG_RUN = re.compile(rf"(.)\1{{{_RUN_WRITTEN_OUT},}}")

_CODE_WORDS = frozenset(
    """
    accepted active added all annual approved archived asc auto available awaiting banned basic blocked both cancelled
    canceled closed completed complete confirmed created critical current custom daily default deleted delivered denied
    desc disabled done draft enabled error expired failed failure false female final finished full gold hard hidden high
    hold hourly inactive info internal invalid large left locked lost low major male manual medium minor missing monthly
    neutral never new none normal null obsolete offline online open optional other paid partial paused pending premium
    primary private processed processing public published quarterly queued ready received refunded rejected removed
    required resolved returned right running scheduled secondary sent shipped silver simple single small soft sold
    standard started stopped submitted success successful suspended temporary test trial true unknown unpaid unread
    updated urgent user valid verified visible void waiting warning weekly won yearly yes
    """.split()
)


def pattern_of(value: str) -> str:
    """The value with `A` and `a` for letters and `9` for digits; `a{12}` stands for twelve in a row.

    ASCII punctuation stays, spaces become one space each, and every other character is `*`.
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
    """Whether a value is a plain number of at most eight digits before the point and eight behind it."""
    return _NUMBER.fullmatch(value) is not None


def is_date(value: str) -> bool:
    """Whether a value is a date, a time or both, in ISO form or written with dots, slashes or hyphens."""
    return _DATE_OR_TIME.fullmatch(value) is not None


def is_code(value: str) -> bool:
    """Whether a value looks like a code: one short ASCII token, no personal name and no long number."""
    digits = sum(char.isdecimal() for char in value)
    if _CODE.fullmatch(value) is None or digits > MAX_DIGITS or not any(char.isalnum() for char in value):
        return False
    return not any(word.lower() in PERSONAL_NAMES for word in _words(value))


def is_plain_code(value: str) -> bool:
    """Whether a code is safe even if the column's name does not announce codes.

    Each of its words must be a usual value of codes, or of at most three letters and not written like a name.
    """
    return is_code(value) and all(
        word.lower() in _CODE_WORDS or (len(word) <= 3 and not (len(word) > 1 and word.istitle()))
        for word in _words(value)
    )


def _words(value: str) -> list[str]:
    """The words of a code; `johnSmith` counts as one word and as two."""
    runs = _LETTERS.findall(value)
    return runs + [part for run in runs for part in re.findall(r"[A-Z]?[a-z]+", run) if part != run]


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
