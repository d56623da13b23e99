"""Answers in pages of whole items; cursors are opaque to callers."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tribal.catalog.hashing import object_hash
from tribal.errors import ToolInputInvalid

Item = TypeVar("Item")

_MARK_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A page of items, with what the answer must say about the rest."""

    items: tuple[Item, ...]
    start: int
    total: int
    next_cursor: str | None

    @property
    def is_first(self) -> bool:
        """Whether this is the first page."""
        return self.start == 0

    @property
    def truncated(self) -> bool:
        """Whether more items follow."""
        return self.next_cursor is not None


def page_of(items: Sequence[Item], size: int, cursor: str | None, question: Sequence[str | None]) -> Page[Item]:
    """The page that a cursor points to, or the first page without one.

    Args:
        items: all items, in an order that is stable as long as the index does not change.
        size: items per page.
        cursor: `next_cursor` of the previous page.
        question: the question that the items answer, and the manifest that the index was built from: a cursor is valid
            only for the same question to the same index.

    Raises:
        ToolInputInvalid: when the cursor belongs to another question or state of the index, or is malformed.
    """
    mark = object_hash(list(question))[:_MARK_DIGITS]
    start = 0 if cursor is None else _start(cursor, mark, len(items))
    end = min(start + size, len(items))
    following = _cursor(mark, end) if end < len(items) else None
    return Page(tuple(items[start:end]), start, len(items), following)


def _cursor(mark: str, start: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([mark, start]).encode()).decode().rstrip("=")


def _start(cursor: str, mark: str, total: int) -> int:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        found = None
    if not isinstance(found, list) or len(found) != 2 or type(found[1]) is not int:
        raise ToolInputInvalid("the cursor is not one that an earlier answer gave; leave it out to begin again")
    if found[0] != mark or not 0 <= found[1] < total:
        raise ToolInputInvalid("the cursor is of another question or an older index; leave it out to begin again")
    return found[1]
