"""Numbers and lists in sentences about tables."""

from __future__ import annotations

from collections.abc import Sequence


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
