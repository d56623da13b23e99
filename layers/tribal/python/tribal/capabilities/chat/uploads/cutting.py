"""Cuts the text of a page into passages."""

from __future__ import annotations

import re

PASSAGE_CHARS = 1_000
OVERLAP_CHARS = 200
LARGEST_CHARS = 1_200
"""The last passage of a page may be longer than `PASSAGE_CHARS`, so that none is shorter than its overlap."""
_LEAST_CHARS = 600
_LEAST_OVERLAP_CHARS = 100
_VISIBLE, _SPACE = re.compile(r"\S"), re.compile(r"\s")
_SENTENCE = re.compile(r"[.!?\u2026][\"')\]\u00bb\u2019\u201d]*(?=\s)|[\u3002\uff01\uff1f]")
_BREAKS = (re.compile(r"\n\s*\n"), _SENTENCE, re.compile(r"\n"), _SPACE)
"""Where a passage ends: the first kind that occurs late enough in it, at its last occurrence."""


def cut(page_text: str) -> list[str]:
    """Passages of about 1,000 characters with about 200 overlap; none if there is no text.

    They end at paragraphs, else sentences, lines or words. Every character but white space is in one of them. Takes
    time linear in the length of the text.
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
