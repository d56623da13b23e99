"""Memories that say the same, of which one is enough."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tribal.naming.stemming import stem

_IDLE = frozenset(("a", "an", "also", "just", "please", "that", "the"))
"""Words without which a sentence says the same."""
_BEFORE = "\"'`([\u2018\u201c"
_BEHIND = "\"'`)].,;:!?\u2019\u201d\u2026"


def distinct(texts: Sequence[str]) -> list[int]:
    """Numbers of the texts that no text before them says already."""
    first: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(texts):
        first.setdefault(said(text), number)
    return list(first.values())


def said(text: str) -> tuple[str, ...]:
    """What a text says: two say the same when this is equal.

    That is the words in their order, but for endings, case, articles and the punctuation around words. A cosine does
    not decide: vectors are blind for order, and nearly so for numbers, signs and negations.
    """
    words = unicodedata.normalize("NFKC", text).casefold().split()
    bare = (word.lstrip(_BEFORE).rstrip(_BEHIND) or word for word in words)
    return tuple(stem(word) if word.isalpha() else word for word in bare if word not in _IDLE)
