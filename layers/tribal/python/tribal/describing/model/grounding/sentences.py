"""Sentences of an answer."""

from __future__ import annotations

import re
import unicodedata

HANDLE = "\ufffc"
"""Replaces a handle while a sentence is checked."""

_SPACES = re.compile(r"\s+")
# No sentence ends after these.
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|nr|z\.B|d\.h|bzw|ca|p\.ex)|\b[^\W\d_])\.\Z", re.IGNORECASE
)
_END = re.compile(r"(?<=[.!?\u2026])\s+(?=[^\W_a-z]|[\[\"'(\u00ab\u201c\u201e])|(?<=[\u3002\uff01\uff1f])|\n+")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line."""
    found: list[str] = []
    position = 0
    for end in _END.finditer(text):
        if "\n" not in end.group() and _SHORT.search(text, position, end.start()):
            continue
        found.append(text[position : end.start()])
        position = end.end()
    found.append(text[position:])
    return [line for each in found if (line := _SPACES.sub(" ", each).strip())]


def plain(text: str) -> str:
    """A sentence normalised for the checks (NFKC)."""
    return unicodedata.normalize("NFKC", text)
