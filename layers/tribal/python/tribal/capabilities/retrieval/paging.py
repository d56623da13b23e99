"""Answers of limited size, in pages of whole items; cursors are opaque to callers.

An answer is filled by size: first everything around its items, then as many whole items as fit. Optional parts, such as
a diagram, are left out whole, and a warning names them.
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
from tribal_contracts import Contract, GetJoinPathOutput, SearchTablesOutput, TableSearchResult, ToolOutput

Item = TypeVar("Item", bound=Contract)
Answer = TypeVar("Answer", bound=ToolOutput)

ITEMS_A_PAGE = 200
"""The most items of an answer without a size limit. By judgement: what one read of the index should fetch."""
_MARK_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins among all items that answer a question."""

    total: int
    start: int = 0
    mark: str | None = None
    """Identifies the question and the state of the index; `None` for answers without pages."""

    @classmethod
    def of(cls, total: int, cursor: str | None, question: Sequence[str | None]) -> Place:
        """The place that a cursor points to; without a cursor, the first one.

        Args:
            total: how many items there are, in an order that is stable as long as the index does not change.
            cursor: `next_cursor` of the previous page.
            question: the question that the items answer, and the manifest that the index was built from: a cursor is
                valid only for the same question to the same index.

        Raises:
            ToolInputInvalid: when the cursor is malformed, or belongs to another question or state of the index.
        """
        mark = object_hash([*question, str(total)])[:_MARK_DIGITS]
        return cls(total, 0 if cursor is None else _start(cursor, mark, total), mark)

    @property
    def is_first(self) -> bool:
        """Whether the first page begins here."""
        return self.start == 0

    def page(self, items: tuple[Item, ...], extras: frozenset[str] = frozenset()) -> Page[Item]:
        """A page of the next items."""
        return Page(items, self.total, len(items), self.cursor_to(self.start + len(items)), extras)

    def widest_page(self, extras: frozenset[str] = frozenset()) -> Page[Any]:
        """A page without items, whose other fields are as large as on any page from here."""
        cursor = None if self.mark is None else self.cursor_to(self.total - 1)
        return Page((), self.total, self.total, cursor, extras)

    def cursor_to(self, position: int) -> str | None:
        """The cursor of a page that begins at a later item; `None` after the last."""
        if self.mark is None or position >= self.total:
            return None
        return base64.urlsafe_b64encode(json.dumps([self.mark, position]).encode()).decode().rstrip("=")


def _start(cursor: str, mark: str, total: int) -> int:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        found = None
    if not isinstance(found, list) or len(found) != 2 or type(found[1]) is not int:
        raise ToolInputInvalid("the cursor does not come from an earlier response; leave it out to start over")
    if found[0] != mark or not 0 <= found[1] < total:
        raise ToolInputInvalid("the cursor belongs to another query or an older index; leave it out to start over")
    return found[1]


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """The items of one answer, and how many others there are."""

    items: tuple[Item, ...]
    total: int
    returned: int
    next_cursor: str | None
    extras: frozenset[str] = frozenset()
    """Names of the optional parts that the answer includes."""

    @property
    def truncated(self) -> bool:
        """Whether more items follow."""
        return self.next_cursor is not None


def fill_page(
    place: Place,
    items: Iterable[Item],
    answer: Callable[[Page[Item]], Answer],
    toolbox: Toolbox,
    *,
    around: str,
    extras: Sequence[str] = (),
) -> Answer:
    """Build the answer with as many whole items as fit into the toolbox's limit.

    Args:
        place: where the page begins.
        items: the items from there on; only as many as needed are consumed.
        answer: builds the answer from a page.
        toolbox: has the size limit.
        around: names everything except the items, for the error if that is too long.
        extras: optional parts, most useful first. A part is kept if all items still fit, or if the answer is less than
            half full with it.

    Raises:
        AnswerTooLong: when everything except the items, or that with a single item, exceeds the limit.
    """
    if toolbox.answer_tokens is None:
        return answer(place.page(tuple(islice(items, ITEMS_A_PAGE)), frozenset(extras)))
    room = toolbox.answer_tokens * BYTES_A_TOKEN
    # Extras never make room for more items. The first item beyond the limit is named if none fits.
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
    """The items that fit into `room` bytes and, if `including`, the first one that does not."""
    found: list[Item] = []
    for item in islice(items, ITEMS_A_PAGE):
        room -= _size(item)
        if room >= 0 or including:
            found.append(item)
        if room < 0:
            break
    return found


def _size(part: Contract) -> int:
    """The bytes of an answer, or of an item in a list including its comma."""
    return len(part.to_compact_json()) + (0 if isinstance(part, ToolOutput) else 1)


def _with_warning(answer: Answer, left_out: Sequence[str], toolbox: Toolbox) -> Answer:
    verb = "is" if len(left_out) == 1 else "are"
    warning = toolbox.warning(
        "RET_ANSWER_PARTIAL",
        f"{' and '.join(left_out)} {verb} left out: an answer may have {toolbox.answer_tokens:,} tokens; "
        "raise limits.answer_tokens to get more",
    )
    return answer.model_copy(update={"warnings": [*(answer.warnings or ()), warning]})


def _too_long(place: Place, item: Contract | None, size: int, limit: int, around: str) -> AnswerTooLong:
    what, needed = around, tokens_of(size + (0 if item is None else _size(item)))
    context: dict[str, JsonValue] = {}
    advice = f"raise limits.answer_tokens to {needed:,}"
    if item is not None:
        what = f"{getattr(item, 'name', 'one item')!s}, with the rest of the answer,"
        following = place.cursor_to(place.start + 1)
        if following is not None:
            context["next_cursor"] = following
            advice += f", or continue after it with the cursor {following}"
    return AnswerTooLong(f"{what} needs {needed:,} tokens, and an answer may have {limit:,}; {advice}", context)


_INTERPRETATION = "query_interpretation"
_ALTERNATIVES = "alternatives"


def fit_search(answer: SearchTablesOutput, toolbox: Toolbox) -> SearchTablesOutput:
    """Keep as many results as fit, best first.

    Raises:
        AnswerTooLong: when the first result alone exceeds the limit.
    """

    def shown(page: Page[TableSearchResult]) -> SearchTablesOutput:
        found: dict[str, object] = {
            "tables": list(page.items),
            "returned": len(page.items),
            "truncated": answer.total_matches > len(page.items),
        }
        if _INTERPRETATION not in page.extras:
            found[_INTERPRETATION] = None
        return answer.model_copy(update=found)

    around = "the answer without its results"
    extras = _present(answer, _INTERPRETATION)
    return fill_page(Place(len(answer.tables)), answer.tables, shown, toolbox, around=around, extras=extras)


def fit_join(answer: GetJoinPathOutput, toolbox: Toolbox) -> GetJoinPathOutput:
    """Leave out the alternatives if they do not fit.

    Raises:
        AnswerTooLong: when path and SQL alone exceed the limit.
    """

    def shown(page: Page[Contract]) -> GetJoinPathOutput:
        left_out = [name for name in extras if name not in page.extras]
        return answer.model_copy(update=dict.fromkeys(left_out))

    extras = _present(answer, _ALTERNATIVES)
    nothing: list[Contract] = []
    around = f"the path from {answer.source} to {answer.target}"
    return fill_page(Place(0), nothing, shown, toolbox, around=around, extras=extras)


def _present(answer: Contract, name: str) -> tuple[str, ...]:
    return (name,) if getattr(answer, name, None) else ()
