"""Memories that say the same, of which one is enough."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.naming.stemming import stem
from tribal.naming.tokens import tokenize_text

_IDLE = frozenset(("a", "an", "also", "just", "please", "that", "the"))
"""Words without which a sentence says the same."""


def distinct(texts: Sequence[str]) -> list[int]:
    """Numbers of the texts that no text before them says already.

    Two say the same when their words are the same in the same order, but for endings, case, punctuation and articles. A
    cosine does not decide: vectors are blind for order, and nearly so for numbers and negations.
    """
    first: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(texts):
        first.setdefault(_said(text), number)
    return list(first.values())


def _said(text: str) -> tuple[str, ...]:
    # What has no word at all, such as an emoji, is itself.
    return tuple(stem(word) for word in tokenize_text(text) if word not in _IDLE) or (text,)
