"""Read names for search: split, spelt out, and in other spellings."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise

from tribal.naming.abbreviations import likely_words
from tribal.naming.segmentation import segment_all
from tribal.naming.tokens import split_identifier


def read_name(name: str, context: Set[str] = frozenset()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return an identifier's words in lower case with abbreviations spelt out, and all forms by which it is found.

    The forms are the tokens as written, then their words, then neighbouring words joined: `heart` and `rate` also find
    `heartrate`, and `workspace` finds `work_space`.
    """
    tokens, parts = _split(name)
    words = tuple(likely_words(tokens, context))
    spelt_out = words if parts == tokens else likely_words(parts, context)
    others = dict.fromkeys((*parts, *spelt_out, *glued(parts)))
    return words, (*tokens, *(word for word in others if word not in tokens))


def glued(words: Sequence[str]) -> list[str]:
    """Join each two neighbouring words; numbers stay separate."""
    return [one + other for one, other in pairwise(words) if one.isalpha() and other.isalpha()]


# Tables have many columns of the same name.
@lru_cache(maxsize=16_384)
def _split(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tokens = split_identifier(name)
    return tuple(tokens), tuple(segment_all(tokens))
