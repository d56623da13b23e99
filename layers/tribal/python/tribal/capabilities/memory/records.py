"""The objects that hold memories: one each, with an id that is the same for equal text in the same space."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from tribal.capabilities.memory.errors import MemoryInputInvalid
from tribal.errors import MemoryConflict, MemoryStoreFailed, ObjectNotFound, PreconditionFailed, StoreError
from tribal.identity.hashing import object_hash
from tribal.ports import ObjectStore
from tribal.ports.remembering.identity import LAYERS, Space
from tribal_contracts.memory import MAX_TAGS, MemoryRecord
from tribal_contracts.memory.records import MAX_TABLES

FOLDER = "memory/"
TABLES = "tables"
"""The only metadata key that is read: names of tables."""
_ATTEMPTS = 5
_ID_DIGITS = 20
_PARTS = 4
"""Parts of a key: `memory/LAYER/SPACE/ID.json`."""


def memory_id(space: Space, content: str) -> str:
    """The id of a memory, independent of author and white space.

    Source: docs/contracts.md, Memory.
    """
    normal = " ".join(unicodedata.normalize("NFC", content).split())
    return f"mem_{object_hash([space.layer, [*space.identifiers], normal])[:_ID_DIGITS]}"


def key_of(space: Space, name: str) -> str:
    """The key of a memory's object."""
    return f"{FOLDER}{space.name}/{name}.json"


def is_memory(key: str) -> bool:
    """Whether an object contains a memory."""
    parts = key.split("/")
    return len(parts) == _PARTS and parts[1] in LAYERS and key.endswith(".json")


def name_of(key: str) -> str:
    """The id of the memory under a key."""
    return key.rpartition("/")[2].removesuffix(".json")


def space_of(record: MemoryRecord) -> Space:
    """The space of a memory."""
    return Space(record.layer, tuple(record.identifiers.items()))


def named_tables(record: MemoryRecord) -> tuple[str, ...]:
    """The table names that a memory declares, whether they exist or not."""
    named = record.metadata.get(TABLES)
    listed = named if isinstance(named, list) else [] if named is None else [named]
    return tuple(name if isinstance(name, str) else json.dumps(name) for name in listed)


def save(
    store: ObjectStore, space: Space, record: MemoryRecord, most_tags: int = MAX_TAGS, *, renews: bool = False
) -> tuple[MemoryRecord, bool]:
    """Write a memory, or add its tags to the existing one; returns the stored memory, and whether it is new.

    Args:
        store: where memories are.
        space: where this one belongs.
        record: the memory.
        most_tags: how many the stored one may have.
        renews: whether the states of its tables replace older ones of the same tables.

    Raises:
        MemoryInputInvalid: when it would have more tags than a memory may.
        MemoryConflict: when other processes keep changing the same memory.
        MemoryStoreFailed: when the store does not respond.
    """
    key = key_of(space, record.memory_id)
    try:
        for _ in range(_ATTEMPTS):
            try:
                found = store.get(key)
            except ObjectNotFound:
                try:
                    store.put(key, record.to_json(), if_absent=True)
                except PreconditionFailed:
                    continue
                return record, True
            before = MemoryRecord.from_json(found.data)
            changed: dict[str, object] = {"tags": distinct_tags([*before.tags, *record.tags])}
            if renews and record.table_states:
                now = {each.name: each for each in record.table_states}
                states = {**now, **{each.name: each for each in before.table_states or ()}, **now}
                changed["table_states"] = list(states.values())[:MAX_TABLES]
            merged = before.model_copy(update=changed)
            if merged == before:
                return before, False
            if len(merged.tags) > most_tags:
                raise MemoryInputInvalid(
                    f"it is stored already and would have {len(merged.tags)} tags; at most {most_tags} are"
                    " allowed: send fewer tags"
                )
            try:
                store.put(key, merged.to_json(), if_match=found.etag)
            except PreconditionFailed:
                continue
            return merged, False
    except (StoreError, ValidationError) as error:
        raise MemoryStoreFailed(f"the memory cannot be written to {key}; try again") from error
    raise MemoryConflict("another process is changing this memory; try again")


def remove(store: ObjectStore, space: Space, name: str) -> None:
    """Remove the object of a memory.

    Raises:
        MemoryStoreFailed: when the store does not respond.
    """
    try:
        store.delete(key_of(space, name))
    except StoreError as error:
        raise MemoryStoreFailed(f"the memory cannot be removed from {key_of(space, name)}; try again") from error


def all_memories(store: ObjectStore, layer: str | None = None) -> Iterator[MemoryRecord]:
    """All memories of the store, or of a layer.

    Raises:
        MemoryStoreFailed: when one cannot be read.
    """
    for named in LAYERS if layer is None else [layer]:
        for key in store.keys(f"{FOLDER}{named}/"):
            if is_memory(key) and (record := read(store, key)) is not None:
                yield record


def read(store: ObjectStore, key: str) -> MemoryRecord | None:
    """The memory under a key, if there is one.

    Raises:
        MemoryStoreFailed: when it cannot be read.
    """
    found = read_with_etag(store, key)
    return None if found is None else found[0]


def read_with_etag(store: ObjectStore, key: str) -> tuple[MemoryRecord, str] | None:
    """The memory under a key and the `etag` of its object, if there is one.

    Raises:
        MemoryStoreFailed: when it cannot be read.
    """
    try:
        found = store.get(key)
        return MemoryRecord.from_json(found.data), found.etag
    except ObjectNotFound:
        return None
    except (StoreError, ValidationError) as error:
        raise MemoryStoreFailed(f"{key} is damaged; restore it from a backup, or remove it") from error


def distinct_tags(tags: Iterable[str]) -> list[str]:
    """Each tag once, ignoring case, in its first spelling."""
    known: dict[str, str] = {}
    for tag in tags:
        known.setdefault(tag.casefold(), tag)
    return list(known.values())
