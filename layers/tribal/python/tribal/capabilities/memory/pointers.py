"""Memories that point to what the company decided: they follow it, and nobody writes them else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.capabilities.memory.records import TABLES, key_of, remove
from tribal.capabilities.memory.recovery import Kept
from tribal.errors import MemoryStoreFailed, StoreError
from tribal.identity.hashing import object_hash
from tribal.ports.remembering.identity import Space
from tribal_contracts.memory import MemoryLayer, MemoryRecord

SOURCE = "knowledge:"
_ID_DIGITS = 20
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Pointed:
    """What a pointer tells of an item."""

    id: str
    layer: MemoryLayer
    owner: str
    text: str
    tags: Sequence[str]
    tables: Sequence[str]
    author: str
    created_at: str
    updated_at: str

    @property
    def space(self) -> Space:
        """Where the pointer is: the layer of the item."""
        return space_of_item(self.layer, self.owner)


def space_of_item(layer: str, owner: str) -> Space:
    """The space of the memories beside an item."""
    return Space(layer, ((layer, owner),))


def pointer_id(item_id: str, space: Space) -> str:
    """The id of the pointer to an item. Source: docs/contracts.md, Knowledge."""
    return f"mem_{object_hash(['knowledge', item_id, space.layer, [*space.identifiers]])[:_ID_DIGITS]}"


def is_pointer(record: MemoryRecord) -> bool:
    """Whether a memory is a pointer."""
    return record.source is not None and record.source.startswith(SOURCE)


def write_pointers(pointed: Sequence[Pointed], kept: Kept) -> None:
    """Write the pointers to some items, each as often as one likes.

    Raises:
        MemoryRefused: when the store or the index does not answer.
    """
    spaces: dict[Space, list[Pointed]] = {}
    for each in pointed:
        spaces.setdefault(each.space, []).append(each)
    for space, several in spaces.items():
        for start in range(0, len(several), _AT_ONCE):
            records = [_record(each) for each in several[start : start + _AT_ONCE]]
            with kept.changing(space, [each.memory_id for each in records], "sync"):
                for record in records:
                    _put(record, space, kept)


def remove_pointers(items: Sequence[tuple[Space, str]], kept: Kept) -> None:
    """Remove the pointers to items by space and id of the item, be they there or not.

    Raises:
        MemoryRefused: when the store or the index does not answer.
    """
    spaces: dict[Space, list[str]] = {}
    for space, item_id in items:
        spaces.setdefault(space, []).append(pointer_id(item_id, space))
    for space, names in spaces.items():
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            with kept.changing(space, some, "sync"):
                for name in some:
                    remove(kept.store, space, name)


def _record(pointed: Pointed) -> MemoryRecord:
    return MemoryRecord(
        schema_version="1.0",
        memory_id=pointer_id(pointed.id, pointed.space),
        layer=pointed.layer,
        identifiers=dict(pointed.space.identifiers),
        content=pointed.text,
        tags=list(pointed.tags),
        metadata={TABLES: list(pointed.tables)} if pointed.tables else {},
        created_at=pointed.created_at,
        author=pointed.author,
        session=None,
        used_at=pointed.updated_at,
        source=f"{SOURCE}{pointed.id}",
    )


def _put(record: MemoryRecord, space: Space, kept: Kept) -> None:
    try:
        kept.store.put(key_of(space, record.memory_id), record.to_json())
    except StoreError as error:
        raise MemoryStoreFailed(f"{key_of(space, record.memory_id)} cannot be written; sync again") from error
