"""Writes memories that point to the items of a snapshot, and counts what changed since the last sync."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tribal.capabilities.knowledge.items.places import SyncSelection
from tribal.capabilities.knowledge.snapshots.snapshot import load_item
from tribal.errors import ObjectNotFound
from tribal.ports.remembering.pointer_writer import Pointer, PointerWriter, space_of_item
from tribal_contracts.knowledge import KnowledgeItem, KnowledgeManifest, SnapshotEntry, SyncedItem, SyncState

if TYPE_CHECKING:
    from tribal.ports import ObjectStore

STATE = "knowledge/synced.json"
_POINTED_TO = ("accepted", "deprecated")
_READERS = 16
_AT_ONCE = 200

_Name = tuple[str, str, str]


def point(
    manifest: KnowledgeManifest,
    store: ObjectStore,
    pointers: PointerWriter | None,
    wanted: SyncSelection,
    check: Callable[[], None],
) -> dict[str, int]:
    """Write and remove pointers; returns how many items were added, updated, deleted and unchanged.

    Args:
        manifest: the snapshot.
        store: where its items are.
        pointers: writes pointers; without it, changes are only counted.
        wanted: the items to process; others are not read, counted or removed.
        check: called before each part; if it raises, the next call resumes.
    """
    before, was_there = _state(store)
    now = {_name(each): each for each in manifest.items if wanted.takes(each.layer, each.type)}
    old = {name: each for name, each in before.items() if wanted.takes(each.layer, each.type)}
    changed = [entry for name, entry in now.items() if wanted.rebuild or _object(old.get(name)) != entry.object]
    gone = [each for name, each in old.items() if name not in now]
    counts = {
        "added": sum(_object(old.get(name)) is None for name in now),
        "updated": sum(_object(old.get(_name(each))) is not None for each in changed),
        "deleted": sum(each.object is not None for each in gone),
        "unchanged": len(now) - len(changed),
    }
    if not changed and not gone and was_there:
        return counts
    items = _read(changed, store)
    pointed = [each for each in items if each.status in _POINTED_TO]
    if pointers is not None:
        _save(store, _state_before_write(before, pointed))
        _write(pointed, pointers, check)
        left = [old[name] for each in items if each.status not in _POINTED_TO and (name := _name(each)) in old]
        removed = [each for each in (*gone, *left) if each.is_pointed_to]
        pointers.remove([(space_of_item(each.layer, each.owner), each.id) for each in removed])
    after = {name: each for name, each in before.items() if name not in {_name(each) for each in gone}}
    for entry, item in zip(changed, items, strict=True):
        after[_name(entry)] = SyncedItem(
            id=entry.id,
            layer=entry.layer,
            owner=entry.owner,
            type=entry.type,
            object=entry.object,
            is_pointed_to=pointers is not None and item.status in _POINTED_TO,
        )
    _save(store, after.values())
    return counts


def _name(item: SnapshotEntry | KnowledgeItem | SyncedItem) -> _Name:
    return item.layer, item.owner, item.id


def _object(item: SyncedItem | None) -> str | None:
    return None if item is None else item.object


def _state(store: ObjectStore) -> tuple[dict[_Name, SyncedItem], bool]:
    """The state of each item after the last sync, and whether there was one; a damaged state is rebuilt."""
    try:
        state = SyncState.from_json(store.get(STATE).data)
    except (ObjectNotFound, ValidationError):
        return {}, False
    return {_name(each): each for each in state.items}, True


def _save(store: ObjectStore, items: Iterable[SyncedItem]) -> None:
    store.put(STATE, SyncState(schema_version="1.0", items=sorted(items, key=_name)).to_json())


def _state_before_write(before: Mapping[_Name, SyncedItem], pointed: Sequence[KnowledgeItem]) -> list[SyncedItem]:
    """The state while pointers are written: each may exist already."""
    state = dict(before)
    for each in pointed:
        known = before.get(_name(each))
        state[_name(each)] = SyncedItem(
            id=each.id,
            layer=each.layer,
            owner=each.owner,
            type=each.type,
            object=_object(known),
            is_pointed_to=True,
        )
    return list(state.values())


def _read(entries: Sequence[SnapshotEntry], store: ObjectStore) -> list[KnowledgeItem]:
    with ThreadPoolExecutor(_READERS) as pool:
        return list(pool.map(lambda entry: load_item(store, entry), entries))


def _write(items: Sequence[KnowledgeItem], pointers: PointerWriter, check: Callable[[], None]) -> None:
    for start in range(0, len(items), _AT_ONCE):
        check()
        pointers.write([_pointer(each) for each in items[start : start + _AT_ONCE]])


def _pointer(item: KnowledgeItem) -> Pointer:
    return Pointer(
        id=item.id,
        layer=item.layer,
        owner=item.owner,
        text=f"{item.title}: {item.summary}",
        tags=item.tags,
        tables=item.tables,
        author=item.history[0].author if item.history and item.history[0].author else item.owner,
        created_at=item.created_at,
        updated_at=item.updated_at,
    )
