"""Cut the text of a page into passages."""

from __future__ import annotations

import re

PASSAGE_CHARS = 1_000
OVERLAP_CHARS = 200
LARGEST_CHARS = 1_200
"""The last passage of a page may be this long, so that it is never shorter than its overlap."""
_LEAST_CHARS = 600
_LEAST_OVERLAP_CHARS = 100
_VISIBLE, _SPACE = re.compile(r"\S"), re.compile(r"\s")
_SENTENCE = re.compile(r"[.!?\u2026][\"')\]\u00bb\u2019\u201d]*(?=\s)|[\u3002\uff01\uff1f]")
_BREAKS = (re.compile(r"\n\s*\n"), _SENTENCE, re.compile(r"\n"), _SPACE)
"""Where a passage may end. The first kind that occurs late enough is used, at its last occurrence."""


def cut(page_text: str) -> list[str]:
    """Cut a page into passages of about 1,000 characters that overlap by about 200; none if it has no text.

    Passages end at a paragraph, otherwise at a sentence, line or word. Every character except white space is in a
    passage. Takes time linear in the length of the text.
    """
    text = page_text.rstrip()
    passages = []
    start = _visible_from(text, 0)
    while start < len(text):
        end = _end(text, start)
        passages.append(text[start:end].rstrip())
        start = _next_start(text, end) if end < len(text) else end
    return passages


def _visible_from(text: str, position: int) -> int:
    found = _VISIBLE.search(text, position)
    return len(text) if found is None else found.start()


def _end(text: str, start: int) -> int:
    if len(text) - start <= LARGEST_CHARS:
        return len(text)
    for pattern in _BREAKS:
        found = [each.end() for each in pattern.finditer(text, start + _LEAST_CHARS, start + PASSAGE_CHARS)]
        if found:
            return found[-1]
    return start + PASSAGE_CHARS


def _next_start(text: str, end: int) -> int:
    first, latest = end - OVERLAP_CHARS, end - _LEAST_OVERLAP_CHARS
    found = _SENTENCE.search(text, first, latest) or _SPACE.search(text, first, latest)
    return _visible_from(text, first if found is None else found.end())
