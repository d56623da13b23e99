"""Nouns, numbers and lists for sentences about tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tribal.naming import humanize, plural, segment_all, singular, split_identifier

_VOWEL_SOUNDS = ("a", "e", "i", "o", "u")
_NOT_A_NOUN = frozenset("v vw view mv mvw tbl tb t".split())
_CONSONANT_SOUNDS = ("one", "uni", "use", "usage", "eu", "ur")


@lru_cache(maxsize=8_192)
def row_noun(table_name: str) -> str:
    """The noun for one row of a table, derived from the table's name: a row of `v_order_lines` is an "order line"."""
    tokens = segment_all(split_identifier(table_name))
    if len(tokens) > 1 and tokens[0] in _NOT_A_NOUN:
        tokens = tokens[1:]
    words = humanize("_".join(tokens), acronyms=True).split()
    return " ".join([*words[:-1], singular(words[-1])]) if words else table_name


def plural_noun(noun: str) -> str:
    """The plural of a noun of one or several words."""
    head, _, last = noun.rpartition(" ")
    return f"{head} {f'{last}s' if last.isupper() else plural(last)}".strip()


def with_article(noun: str) -> str:
    """The noun with "a" or "an" before it."""
    lower = noun.lower()
    vowel = lower.startswith(_VOWEL_SOUNDS) and not lower.startswith(_CONSONANT_SOUNDS)
    return f"{'an' if vowel or lower.startswith(('hour', 'honest', 'sla', 'sms', 'sql', 'rma', 'mri')) else 'a'} {noun}"


def listing(items: Sequence[str], *, limit: int = 6, last: str = "and") -> str:
    """Items as "a, b and c"; those beyond the limit are only counted."""
    shown = list(items[:limit])
    if len(items) > limit:
        return f"{', '.join(shown)} {last} {len(items) - limit} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def number(count: int, noun: str, plural_noun: str | None = None) -> str:
    """A count with its noun, in digits with commas."""
    return f"{count:,} {noun if count == 1 else plural_noun or noun + 's'}"


def shorten(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters with an ellipsis, after a whole word if possible."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    word_end = head.rfind(" ")
    return head[: word_end if word_end > limit // 2 else len(head)].rstrip(" ,;:.") + "…"


def rows_phrase(row_count: int) -> str:
    """The number of rows as a phrase with "about", since the server only estimates it."""
    if row_count < 0:
        return "number of rows unknown"
    return "no rows" if row_count == 0 else f"about {number(row_count, 'row')}"


def row_figure(row_count: int) -> str:
    """The number of rows as a figure for a table cell."""
    return "unknown" if row_count < 0 else f"{row_count:,}"
