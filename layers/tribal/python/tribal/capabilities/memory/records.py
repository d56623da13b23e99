"""The objects that hold memories: one each, under an id that the same words in the same space always have."""

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

FOLDER = "memory/"
TABLES = "tables"
"""The one key of metadata that is read: names of tables."""
_ATTEMPTS = 5
_ID_DIGITS = 20
_PARTS = 4
"""Of a key: `memory/LAYER/SPACE/ID.json`."""


def memory_id(space: Space, content: str) -> str:
    """The id of a memory, whoever adds it and however it is spaced.

    Source: docs/contracts.md, Memory.
    """
    normal = " ".join(unicodedata.normalize("NFC", content).split())
    return f"mem_{object_hash([space.layer, [*space.identifiers], normal])[:_ID_DIGITS]}"


def key_of(space: Space, name: str) -> str:
    """Where the object of a memory is."""
    return f"{FOLDER}{space.name}/{name}.json"


def is_memory(key: str) -> bool:
    """Whether an object holds a memory."""
    parts = key.split("/")
    return len(parts) == _PARTS and parts[1] in LAYERS and key.endswith(".json")


def name_of(key: str) -> str:
    """The id of the memory under a key."""
    return key.rpartition("/")[2].removesuffix(".json")


def space_of(record: MemoryRecord) -> Space:
    """The space that a memory is in."""
    return Space(record.layer, tuple(record.identifiers.items()))


def named_tables(record: MemoryRecord) -> tuple[str, ...]:
    """What a memory says it is about, be it the name of a table or not."""
    named = record.metadata.get(TABLES)
    listed = named if isinstance(named, list) else [] if named is None else [named]
    return tuple(name if isinstance(name, str) else json.dumps(name) for name in listed)


def keep(
    store: ObjectStore, space: Space, record: MemoryRecord, most_tags: int = MAX_TAGS
) -> tuple[MemoryRecord, bool]:
    """Write a memory, or add its tags to the one that is there; returns what is stored, and whether it is new.

    Raises:
        MemoryInputInvalid: when it would have more tags than a memory may.
        MemoryConflict: when others change the same all the time.
        MemoryStoreFailed: when the store does not answer.
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
            merged = before.model_copy(update={"tags": distinct_tags([*before.tags, *record.tags])})
            if merged == before:
                return before, False
            if len(merged.tags) > most_tags:
                raise MemoryInputInvalid(
                    f"it was stored before with other tags, and would have {len(merged.tags)}; at most {most_tags} are"
                    " kept: send fewer new ones"
                )
            try:
                store.put(key, merged.to_json(), if_match=found.etag)
            except PreconditionFailed:
                continue
            return merged, False
    except (StoreError, ValidationError) as error:
        raise MemoryStoreFailed(f"the memory cannot be written to {key}; try again") from error
    raise MemoryConflict("others change this memory at the same time; try again")


def remove(store: ObjectStore, space: Space, name: str) -> None:
    """Remove the object of a memory.

    Raises:
        MemoryStoreFailed: when the store does not answer.
    """
    try:
        store.delete(key_of(space, name))
    except StoreError as error:
        raise MemoryStoreFailed(f"the memory cannot be removed from {key_of(space, name)}; try again") from error


def every(store: ObjectStore, layer: str | None = None) -> Iterator[MemoryRecord]:
    """Every memory of the store, or of a layer.

    Raises:
        MemoryStoreFailed: when one cannot be read.
    """
    for named in LAYERS if layer is None else [layer]:
        for key in store.keys(f"{FOLDER}{named}/"):
            if is_memory(key) and (record := read(store, key)) is not None:
                yield record


def read(store: ObjectStore, key: str) -> MemoryRecord | None:
    """The memory under a key; `None` where there is none.

    Raises:
        MemoryStoreFailed: when it cannot be read.
    """
    found = read_with_etag(store, key)
    return None if found is None else found[0]


def read_with_etag(store: ObjectStore, key: str) -> tuple[MemoryRecord, str] | None:
    """The memory under a key and the `etag` of its object; `None` where there is none.

    Raises:
        MemoryStoreFailed: when it cannot be read.
    """
    try:
        found = store.get(key)
        return MemoryRecord.from_json(found.data), found.etag
    except ObjectNotFound:
        return None
    except (StoreError, ValidationError) as error:
        raise MemoryStoreFailed(f"{key} is damaged; put it back from a backup, or remove it") from error


def distinct_tags(tags: Iterable[str]) -> list[str]:
    """Each tag once, whatever its case, as it came first."""
    known: dict[str, str] = {}
    for tag in tags:
        known.setdefault(tag.casefold(), tag)
    return list(known.values())
