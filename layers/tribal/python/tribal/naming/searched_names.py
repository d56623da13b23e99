"""How names are read where they are searched: split, spelt out, and as others may write them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from tribal.naming.abbreviations import likely_words
from tribal.naming.segmentation import segment_all
from tribal.naming.tokens import split_identifier


def read_name(name: str, context: Collection[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read an identifier: its words in lower case, abbreviations spelt out, and all forms by which it is found.

    The forms are the tokens as written, then other words, then neighbours as one word: `heartrate` is found by `heart`
    and `rate` too, and `work_space` by `workspace`.
    """
    tokens, parts = _split(name)
    words = tuple(likely_words(tokens, context))
    spelt_out = words if parts == tokens else likely_words(parts, context)
    others = dict.fromkeys((*parts, *spelt_out, *glued(parts)))
    return words, (*tokens, *(word for word in others if word not in tokens))


def glued(words: Sequence[str]) -> list[str]:
    """Each two neighbours written as one word; numbers stay apart."""
    return [one + other for one, other in pairwise(words) if one.isalpha() and other.isalpha()]


# Tables have many columns of the same name.
@lru_cache(maxsize=16_384)
def _split(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tokens = split_identifier(name)
    return tuple(tokens), tuple(segment_all(tokens))
