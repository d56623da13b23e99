"""Memories of shared layers that may be about a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tribal.capabilities.memory.pointers import is_pointer
from tribal.capabilities.memory.records import named_tables
from tribal.capabilities.memory.tools import READ_MEMORY
from tribal.naming.tokens import content_words, query_terms
from tribal.ports.remembering.guidance import Guidance
from tribal.ports.remembering.identity import LAYERS, SHARED_LAYERS
from tribal.ports.remembering.selection import MemorySelection

if TYPE_CHECKING:
    from tribal.identity.table_names import TableIdentity
    from tribal.ports.caller import Caller
    from tribal.ports.remembering.memory_index import MemoryIndex

_CANDIDATES = 50


class MemoryGuidance:
    """The `GuidanceSource` of memories.

    Args:
        index: opens the index of memories.
        is_used: whether memory is configured; if not, no index is created.
    """

    def __init__(self, index: Callable[[], MemoryIndex], is_used: Callable[[], bool] = lambda: True) -> None:
        self._index = index
        self._is_used = is_used

    def about(self, table: TableIdentity, caller: Caller) -> Sequence[Guidance]:
        """Memories that name the table, or have the words of its name."""
        layers = [layer for layer in LAYERS if layer in SHARED_LAYERS]
        spaces = tuple(space for layer in layers for space in caller.identity.spaces(layer))
        if not spaces or not caller.may(READ_MEMORY) or not self._is_used():
            return []
        selection, index = MemorySelection(spaces, (), caller.scope), self._index()
        found = (
            *index.about_tables(selection, _spellings(table), _CANDIDATES),
            *index.by_words(selection, query_terms(content_words(table.table)), _CANDIDATES),
        )
        # The item that a pointer points to is shown itself.
        records = {(each.space, each.record.memory_id): each.record for each in found if not is_pointer(each.record)}
        return [
            Guidance(
                id=record.memory_id,
                kind="memory",
                layer=record.layer,
                text=record.content,
                author=record.author,
                created_at=record.created_at,
                tables=named_tables(record),
                table_states=record.table_states or (),
            )
            for record in records.values()
        ]


def _spellings(table: TableIdentity) -> list[str]:
    """How people write the name, in full or in part."""
    whole = str(table)
    plain = ".".join((table.database, table.schema, table.table))
    return list(dict.fromkeys((whole, plain, f"{table.schema}.{table.table}", table.table)))
