"""Answers of limited size, in pages of whole items; cursors are opaque to callers.

An answer is filled by size: everything around its items counts first, then as many whole items as leave it within the
limit. What no item is and may be left out, such as a diagram, is left out whole, and a warning names it.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from tribal.capabilities.retrieval.errors import AnswerTooLong
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.errors import ToolInputInvalid
from tribal.identity.hashing import object_hash
from tribal.ports.tool import BYTES_A_TOKEN, tokens_of
from tribal_contracts import Contract, ToolOutput

Item = TypeVar("Item", bound=Contract)
Answer = TypeVar("Answer", bound=ToolOutput)

ITEMS_A_PAGE = 200
"""The most items of an answer, however large it may be: by judgement, what one reading of an index should fetch."""
_MARK_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Place:
    """A place in all the items that answer a question: where a page begins."""

    total: int
    start: int = 0
    mark: str | None = None
    """Identifies the question and the state of the index; `None` where there are no pages."""

    @classmethod
    def of(cls, total: int, cursor: str | None, question: Sequence[str | None]) -> Place:
        """The place that a cursor points to, or the first one without a cursor.

        Args:
            total: how many items there are, in an order that is stable as long as the index does not change.
            cursor: `next_cursor` of the previous page.
            question: the question that the items answer, and the manifest that the index was built from: a cursor is
                valid only for the same question to the same index.

        Raises:
            ToolInputInvalid: when the cursor belongs to another question or state of the index, or is malformed.
        """
        mark = object_hash([*question, str(total)])[:_MARK_DIGITS]
        return cls(total, 0 if cursor is None else _start(cursor, mark, total), mark)

    @property
    def is_first(self) -> bool:
        """Whether the first page begins here."""
        return self.start == 0

    def page(self, items: tuple[Item, ...], extras: frozenset[str] = frozenset()) -> Page[Item]:
        """The page with these items, which are the next ones."""
        return Page(items, self.total, len(items), self.cursor_to(self.start + len(items)), extras)

    def widest_page(self, extras: frozenset[str] = frozenset()) -> Page[Any]:
        """A page without items that takes as much room for everything else as any page from here."""
        cursor = None if self.mark is None else self.cursor_to(self.total - 1)
        return Page((), self.total, self.total, cursor, extras)

    def cursor_to(self, position: int) -> str | None:
        """The cursor of a page that begins at a later item; `None` behind the last."""
        if self.mark is None or position >= self.total:
            return None
        return base64.urlsafe_b64encode(json.dumps([self.mark, position]).encode()).decode().rstrip("=")


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


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """The items of one answer, with what it must say about the others."""

    items: tuple[Item, ...]
    total: int
    returned: int
    next_cursor: str | None
    extras: frozenset[str] = frozenset()
    """What the answer holds beside its items, of what may be left out."""

    @property
    def truncated(self) -> bool:
        """Whether more items follow."""
        return self.next_cursor is not None


def filled(
    place: Place,
    items: Iterable[Item],
    answer: Callable[[Page[Item]], Answer],
    toolbox: Toolbox,
    *,
    around: str,
    extras: Sequence[str] = (),
) -> Answer:
    """The answer with as many whole items as it has room for within the limit of the toolbox.

    Args:
        place: where the page begins.
        items: the items from there on; no more are asked for than are needed.
        answer: makes the answer from a page.
        toolbox: says how large an answer may be.
        around: names what stands around the items, for the error when that is too long.
        extras: what may be left out whole, the most useful first. One is kept if all items fit beside it, or if the
            answer is not half full with it.

    Raises:
        AnswerTooLong: when what stands around the items, or a single item with it, exceeds the limit.
    """
    if toolbox.answer_tokens is None:
        return answer(place.page(tuple(islice(items, ITEMS_A_PAGE)), frozenset(extras)))
    room = toolbox.answer_tokens * BYTES_A_TOKEN
    # More never fit beside extras; the one behind them is named when none fits.
    candidates = _up_to_first_beyond(items, room - _size(answer(place.widest_page())))
    first = _size(candidates[0]) if candidates else 0
    all_items = sum(map(_size, candidates)) if place.start + len(candidates) == place.total else room
    kept: frozenset[str] = frozenset()
    for name in extras:
        size = _size(answer(place.widest_page(kept | {name})))
        if size + all_items <= room or size <= min(room // 2, room - first):
            kept |= {name}
    left_out = [name for name in extras if name not in kept]

    def shown(page: Page[Item]) -> Answer:
        return _with_warning(answer(page), left_out, toolbox) if left_out else answer(page)

    size = _size(shown(place.widest_page(kept)))
    page = _up_to_first_beyond(candidates, room - size, including=False)
    if size > room or (candidates and not page):
        raise _too_long(place, candidates[0] if size <= room else None, size, toolbox.answer_tokens, around)
    return shown(place.page(tuple(page), kept))


def _up_to_first_beyond(items: Iterable[Item], room: int, *, including: bool = True) -> list[Item]:
    """The items that fit into so many bytes, and the first that does not if it is to be included."""
    found: list[Item] = []
    for item in islice(items, ITEMS_A_PAGE):
        room -= _size(item)
        if room >= 0 or including:
            found.append(item)
        if room < 0:
            break
    return found


def _size(part: Contract) -> int:
    """The bytes of an answer; or of an item in a list, with the comma before it."""
    return len(part.to_compact_json()) + (0 if isinstance(part, ToolOutput) else 1)


def _with_warning(answer: Answer, left_out: Sequence[str], toolbox: Toolbox) -> Answer:
    verb = "is" if len(left_out) == 1 else "are"
    warning = toolbox.warning(
        "RET_ANSWER_PARTIAL",
        f"{' and '.join(left_out)} {verb} left out, for an answer may have {toolbox.answer_tokens:,} tokens; "
        "limits.answer_tokens allows more",
    )
    return answer.model_copy(update={"warnings": [*(answer.warnings or ()), warning]})


def _too_long(place: Place, item: Contract | None, size: int, limit: int, around: str) -> AnswerTooLong:
    what, needed = around, tokens_of(size + (0 if item is None else _size(item)))
    context: dict[str, JsonValue] = {}
    advice = f"raise limits.answer_tokens to {needed:,}"
    if item is not None:
        what = f"{getattr(item, 'name', 'one item')!s}, with what stands around it,"
        following = place.cursor_to(place.start + 1)
        if following is not None:
            context["next_cursor"] = following
            advice += f", or go on behind it with the cursor {following}"
    return AnswerTooLong(f"{what} needs {needed:,} tokens, and an answer may have {limit:,}; {advice}", context)
