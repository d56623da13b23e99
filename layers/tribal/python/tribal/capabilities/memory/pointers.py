"""Memories that point to decisions and policies. Only syncing writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tribal.capabilities.memory.records import TABLES, key_of, remove
from tribal.capabilities.memory.repository import Repository
from tribal.errors import MemoryStoreFailed, StoreError
from tribal.identity.hashing import object_hash
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.pointer_writer import Pointer
from tribal_contracts.memory import MemoryRecord

SOURCE = "knowledge:"
_ID_DIGITS = 20
_AT_ONCE = 200


def pointer_id(item_id: str, space: Space) -> str:
    """The id of the pointer to an item. Source: docs/contracts.md, Knowledge."""
    return f"mem_{object_hash(['knowledge', item_id, space.layer, [*space.identifiers]])[:_ID_DIGITS]}"


def is_pointer(record: MemoryRecord) -> bool:
    """Whether a memory is a pointer."""
    return record.source is not None and record.source.startswith(SOURCE)


@dataclass(frozen=True, slots=True)
class MemoryPointers:
    """The `PointerWriter` of memories.

    Args:
        repository: the memories and their index.
        expire: removes the memories of ended sessions; returns how many.
    """

    repository: Repository
    expire: Callable[[], int]

    def write(self, pointers: Sequence[Pointer]) -> None:
        """Add pointers, or replace the ones to the same items."""
        spaces: dict[Space, list[Pointer]] = {}
        for each in pointers:
            spaces.setdefault(each.space, []).append(each)
        for space, several in spaces.items():
            for start in range(0, len(several), _AT_ONCE):
                records = [_record(each) for each in several[start : start + _AT_ONCE]]
                with self.repository.changing(space, [each.memory_id for each in records], "sync"):
                    for record in records:
                        _put(record, space, self.repository)

    def remove(self, items: Sequence[tuple[Space, str]]) -> None:
        """Remove pointers by space and item id; missing ones are ignored."""
        spaces: dict[Space, list[str]] = {}
        for space, item_id in items:
            spaces.setdefault(space, []).append(pointer_id(item_id, space))
        for space, names in spaces.items():
            for start in range(0, len(names), _AT_ONCE):
                some = names[start : start + _AT_ONCE]
                with self.repository.changing(space, some, "sync"):
                    for name in some:
                        remove(self.repository.store, space, name)


def _record(pointer: Pointer) -> MemoryRecord:
    return MemoryRecord(
        schema_version="1.0",
        memory_id=pointer_id(pointer.id, pointer.space),
        layer=pointer.layer,
        identifiers=dict(pointer.space.identifiers),
        content=pointer.text,
        tags=list(pointer.tags),
        metadata={TABLES: list(pointer.tables)} if pointer.tables else {},
        created_at=pointer.created_at,
        author=pointer.author,
        session=None,
        used_at=pointer.updated_at,
        source=f"{SOURCE}{pointer.id}",
    )


def _put(record: MemoryRecord, space: Space, repository: Repository) -> None:
    try:
        repository.store.put(key_of(space, record.memory_id), record.to_json())
    except StoreError as error:
        raise MemoryStoreFailed(f"{key_of(space, record.memory_id)} cannot be written; sync again") from error
