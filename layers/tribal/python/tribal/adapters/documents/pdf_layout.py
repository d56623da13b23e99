"""Finds what the layout of a page of a PDF says: which way its text runs, and where headings and paragraphs are."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from pypdfium2 import PdfTextPage
from pypdfium2.raw import (
    FS_MATRIX,
    FPDFText_GetCharAngle,
    FPDFText_GetCharIndexFromTextIndex,
    FPDFText_GetCharOrigin,
    FPDFText_GetFontInfo,
    FPDFText_GetFontSize,
    FPDFText_GetMatrix,
    FPDFText_GetUnicode,
)

_SAMPLED_CHARS = 200
"""How many characters say which way the text of a page runs. By judgement."""
_QUARTER = 90
_LARGER = 1.15
"""How much larger a heading is than what follows. By judgement."""
_WIDER = 1.4
"""How much wider the space before a paragraph is than that between lines. By judgement."""
_BOLD = re.compile(rb"bold|black|heavy", re.IGNORECASE)
"""Of the name of a font; few fonts state their weight."""
_FONT_NAME_BYTES = 100
_LINE = re.compile(r"[^\r\n]*[^\r\n\s][^\r\n]*")
"""With at least one visible character."""
_RIGHT_TO_LEFT_WORD = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200c\u200d]{2,}")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float
    is_bold: bool
    height: float
    """How far it stands above the page's origin once the page is turned upright."""


def text_angle(text_page: PdfTextPage) -> int:
    """The angle of most of a page's text, clockwise in quarters of a turn."""
    count = text_page.count_chars()
    step = max(1, count // _SAMPLED_CHARS)
    visible = (place for place in range(0, count, step) if not chr(FPDFText_GetUnicode(text_page.raw, place)).isspace())
    turns = Counter(round(math.degrees(FPDFText_GetCharAngle(text_page.raw, place)) / _QUARTER) for place in visible)
    return turns.most_common(1)[0][0] * _QUARTER % 360 if turns else 0


def laid_out(text_page: PdfTextPage, text: str, angle: int) -> str:
    """The whole text of a page, which runs at an angle, with empty lines around headings and between paragraphs."""
    reader = _LineReader(text_page, angle)
    lines = [reader.line(found[0], found.start()) for found in _LINE.finditer(text)]
    gaps = [one.height - other.height for one, other in pairwise(lines)]
    usual = median_low([gap for gap in gaps if gap > 0] or [math.inf])
    parts = [lines[0].text] if lines else []
    for (line, following), gap in zip(pairwise(lines), gaps, strict=True):
        parts += ["\n\n" if _is_apart(line, following) or gap > _WIDER * usual else "\n", following.text]
    return "".join(parts)


def _is_apart(line: _Line, following: _Line) -> bool:
    """Whether one of two lines looks like a heading of the other."""
    larger, smaller = max(line.size, following.size), min(line.size, following.size)
    return larger > _LARGER * smaller or line.is_bold != following.is_bold


@dataclass(frozen=True, slots=True)
class _LineReader:
    """Reads lines of a page whose text runs at an angle."""

    text_page: PdfTextPage
    angle: int

    def line(self, text: str, start: int) -> _Line:
        """A line with at least one visible character, which begins at a place of the page's text."""
        stripped = text.rstrip()
        ends = [self._char(start + len(text) - len(text.lstrip())), self._char(start + len(stripped) - 1)]
        return _Line(
            text=_RIGHT_TO_LEFT_WORD.sub(lambda found: self._logical(found, start), text),
            size=min(map(self._size, ends)),
            is_bold=all(map(self._is_bold, ends)),
            height=self._origin(ends[0])[1],
        )

    def _logical(self, found: re.Match[str], start: int) -> str:
        """A word that is written from right to left, in the order in which it is read."""
        first, last = (self._char(start + place) for place in (found.start(), found.end() - 1))
        is_reversed = self._origin(first)[0] < self._origin(last)[0]
        return found[0][::-1] if is_reversed else found[0]

    def _char(self, place: int) -> int:
        index: int = FPDFText_GetCharIndexFromTextIndex(self.text_page.raw, place)
        return index

    def _size(self, index: int) -> float:
        matrix = FS_MATRIX()
        FPDFText_GetMatrix(self.text_page.raw, index, matrix)
        size: float = FPDFText_GetFontSize(self.text_page.raw, index)
        return size * math.hypot(matrix.c, matrix.d)

    def _is_bold(self, index: int) -> bool:
        name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        FPDFText_GetFontInfo(self.text_page.raw, index, name, _FONT_NAME_BYTES, None)
        return _BOLD.search(name.value) is not None

    def _origin(self, index: int) -> tuple[float, float]:
        """Where a character is along its line, and across the lines from the last one on."""
        x, y = ctypes.c_double(), ctypes.c_double()
        FPDFText_GetCharOrigin(self.text_page.raw, index, x, y)
        turned = {0: (x.value, y.value), 90: (-y.value, x.value), 180: (-x.value, -y.value), 270: (y.value, -x.value)}
        return turned[self.angle]
