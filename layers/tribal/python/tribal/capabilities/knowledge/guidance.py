"""Decisions and policies that may be about a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.errors import NothingPublished
from tribal.capabilities.knowledge.snapshots.visible_items import VisibleItems
from tribal.capabilities.knowledge.tools import READ_KNOWLEDGE
from tribal.ports.remembering.guidance import Guidance

if TYPE_CHECKING:
    from tribal.identity.table_names import TableIdentity
    from tribal.ports.caller import Caller
    from tribal_contracts.knowledge import ProjectedItem

_BLOCKING, _OTHER = 0, 1


class KnowledgeGuidance:
    """The `GuidanceSource` of accepted items.

    Args:
        visible: returns the items of the published snapshot that a caller sees.
    """

    def __init__(self, visible: Callable[[Caller], VisibleItems]) -> None:
        self._visible = visible

    def about(self, table: TableIdentity, caller: Caller) -> Sequence[Guidance]:
        """Items that declare the table, or name it in their text or constraints."""
        if not caller.may(READ_KNOWLEDGE):
            return []
        try:
            visible = self._visible(caller)
        except NothingPublished:
            return []
        last = table.table.casefold()
        found = [each for each in map(visible.item, visible.shown()) if each.status == "accepted"]
        return [
            Guidance(
                id=item.id,
                kind=item.type,
                layer=item.layer,
                text=_said(item),
                author=item.author,
                created_at=item.updated_at,
                tables=(*item.tables, *item.mentions),
                place=_BLOCKING if _blocks(item) else _OTHER,
            )
            for item in found
            if any(last in _ends(name) for name in (*item.tables, *item.mentions)) or last in _said(item).casefold()
        ]


def _said(item: ProjectedItem) -> str:
    """The title and the summary, which is the title again where a file says nothing else."""
    return item.title if item.summary == item.title else f"{item.title}: {item.summary}"


def _ends(name: str) -> list[str]:
    """The last two parts of a name, folded for comparison: it may be that of a column."""
    return [part.strip('"').casefold() for part in name.split(".")[-2:]]


def _blocks(item: ProjectedItem) -> bool:
    return any((each.severity or item.severity) == "block" for each in item.constraints)
