"""Publishes what a source holds as an immutable snapshot, which is all that is queried, shown and checked.

Items are objects named by the hash of their bytes; the manifest names them and is replaced last. Whatever is killed
when, readers have the snapshot of before or that of after. A file whose bytes are the same is not read again.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from posixpath import join, normpath

from pydantic import ValidationError

from tribal.errors import ItemUnusable, ObjectNotFound, PreconditionFailed, SourceFailed, StoreError
from tribal.knowledge.places import Layout, Place
from tribal.knowledge.reading import ReadItem, read_item
from tribal.ports import ObjectStore
from tribal.ports.knowledge_source import KnowledgeSource, SourceEntry
from tribal_contracts.knowledge import (
    HistoryEntry,
    ItemFailure,
    KnowledgeItem,
    KnowledgeManifest,
    SnapshotEntry,
)

MANIFEST = "knowledge/manifest.json"
ITEMS = "knowledge/items/"
UNNAMED_KEPT_FOR = timedelta(days=7)
"""How long an item that no manifest names stays for who reads by an older one."""
_WRITERS = 8


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot, and the one before it."""

    manifest: KnowledgeManifest
    before: KnowledgeManifest | None
    changed: bool
    """Whether anything was written."""


def load_manifest(store: ObjectStore) -> tuple[KnowledgeManifest | None, str | None]:
    """The manifest and its `etag`, if anything was published.

    Raises:
        SourceFailed: when it is damaged.
    """
    try:
        found = store.get(MANIFEST)
        return KnowledgeManifest.from_json(found.data), found.etag
    except ObjectNotFound:
        return None, None
    except ValidationError as error:
        raise SourceFailed(f"{MANIFEST} is damaged; remove it and sync again") from error


def load_item(store: ObjectStore, entry: SnapshotEntry) -> KnowledgeItem:
    """An item of a snapshot.

    Raises:
        SourceFailed: when it is missing or damaged.
    """
    key = f"{ITEMS}{entry.object}.json"
    try:
        return KnowledgeItem.from_json(store.get(key).data)
    except (StoreError, ValidationError) as error:
        raise SourceFailed(f"{key} is missing or damaged; sync with force") from error


def publish(source: KnowledgeSource, layout: Layout, store: ObjectStore, now: str, *, anew: bool = False) -> Published:
    """Publish what a source holds.

    Args:
        source: where it is kept.
        layout: which of its files are items.
        store: where the snapshot goes.
        now: when it is published.
        anew: whether to read files too whose bytes are the same.

    Raises:
        SourceFailed: when the source cannot be read, or somebody else publishes at the same time. Retryable.
    """
    before, etag = load_manifest(store)
    tree = source.tree()
    placed = [(entry, place) for entry in tree.entries if (place := layout.place_of(entry.path)) is not None]
    known = {} if before is None or anew else {each.path: each for each in before.items}
    kept = [known[entry.path] for entry, place in placed if _is_same(known.get(entry.path), entry, place)]
    same = {each.path for each in kept}
    reading = _Reading([(entry, place) for entry, place in placed if entry.path not in same], source)
    items = reading.items(now)
    refused = [each for each in tree.refused if layout.place_of(each.path) is not None]
    entries, twice = _unique([*kept, *(entry for entry, _ in items)])
    failures = sorted([*refused, *reading.failures, *twice], key=lambda each: each.path)
    commit = tree.commit or _hash([[entry.path, entry.version] for entry in tree.entries])
    manifest = KnowledgeManifest(
        schema_version="1.0",
        commit=commit,
        published_at=now,
        items=entries,
        failures=failures,
        skipped=reading.skipped,
        hash=_hash([each.model_dump() for each in entries]),
    )
    if before is not None and not anew and _says_the_same(before, manifest):
        return Published(before, before, changed=False)
    _write(store, items)
    try:
        store.put(MANIFEST, manifest.to_json(), if_match=etag, if_absent=etag is None)
    except PreconditionFailed as error:
        raise SourceFailed("somebody else has published knowledge at the same time; sync again") from error
    _remove_unnamed(store, manifest, datetime.fromisoformat(now))
    return Published(manifest, before, changed=True)


def superseding(manifest: KnowledgeManifest, item: KnowledgeItem) -> list[str]:
    """Ids of the items that supersede one, by what it says and by what they say."""
    by_path = {each.path: each.id for each in manifest.items}
    ids = {each.id for each in manifest.items}
    beside = item.path.rpartition("/")[0]
    said = [by_path.get(normpath(join(beside, each.partition("#")[0])), each) for each in item.superseded_by or ()]
    others = [each.id for each in manifest.items if each.supersedes == item.id]
    return list(dict.fromkeys(each for each in (*said, *others) if each in ids and each != item.id))


def _is_same(known: SnapshotEntry | None, entry: SourceEntry, place: Place) -> bool:
    return known is not None and (known.version, known.layer, known.owner, known.type) == (
        entry.version,
        place.layer,
        place.owner,
        place.type,
    )


class _Reading:
    """Reads files, and what became of each."""

    def __init__(self, placed: Sequence[tuple[SourceEntry, Place]], source: KnowledgeSource) -> None:
        self._placed = placed
        self._source = source
        self.failures: list[ItemFailure] = []
        self.skipped = 0

    def items(self, now: str) -> list[tuple[SnapshotEntry, bytes]]:
        """The items, each with its bytes."""
        read: list[tuple[SourceEntry, Place, ReadItem]] = []
        for entry, place in self._placed:
            try:
                item = read_item(entry.path, self._source.read(entry), place)
            except ItemUnusable as error:
                self.failures.append(ItemFailure(path=entry.path, line=error.line, reason=error.message))
                continue
            if item is None:
                self.skipped += 1
            else:
                read.append((entry, place, item))
        history = self._source.history([entry.path for entry, _, _ in read]) if read else {}
        return [_item(entry, place, item, history.get(entry.path, ()), now) for entry, place, item in read]


def _item(
    entry: SourceEntry, place: Place, read: ReadItem, history: Sequence[HistoryEntry], now: str
) -> tuple[SnapshotEntry, bytes]:
    created, updated = _times(entry, read, history, now)
    item = KnowledgeItem(
        schema_version="1.0",
        id=read.id,
        type=read.type,
        layer=place.layer,
        owner=place.owner,
        path=entry.path,
        title=read.title,
        summary=read.summary,
        content=read.content,
        status=read.status,
        severity=read.severity,
        tags=list(read.tags),
        constraints=list(read.constraints) or None,
        metadata=dict(read.metadata),
        created_at=created,
        updated_at=updated,
        supersedes=read.supersedes,
        superseded_by=list(read.superseded_by) or None,
        tables=read.tables,
        warnings=list(read.warnings),
        history=list(history),
    )
    data = item.to_json()
    told = SnapshotEntry(
        id=item.id,
        type=item.type,
        layer=item.layer,
        owner=item.owner,
        path=item.path,
        object=sha256(data).hexdigest(),
        version=entry.version,
        supersedes=item.supersedes,
    )
    return told, data


def _times(entry: SourceEntry, read: ReadItem, history: Sequence[HistoryEntry], now: str) -> tuple[str, str]:
    """When it was created and last changed: as stated, else by its history, else when its file was written."""
    first = history[-1].timestamp if history else None
    last = history[0].timestamp if history else None
    stated = None if read.created is None else f"{read.created}T00:00:00Z"
    created = stated or first or entry.modified_at or now
    updated = (None if read.updated is None else f"{read.updated}T00:00:00Z") or last or entry.modified_at or created
    return created, updated


def _unique(entries: Sequence[SnapshotEntry]) -> tuple[list[SnapshotEntry], list[ItemFailure]]:
    """The items with an id of their own among those of their owner; of several the first by path stays."""
    found: dict[tuple[str, str, str], SnapshotEntry] = {}
    twice: list[ItemFailure] = []
    for entry in sorted(entries, key=lambda each: each.path):
        first = found.setdefault((entry.layer, entry.owner, entry.id), entry)
        if first is not entry:
            twice.append(
                ItemFailure(path=entry.path, line=None, reason=f"its id {entry.id!r} is that of {first.path!r}")
            )
    return list(found.values()), twice


def _says_the_same(before: KnowledgeManifest, now: KnowledgeManifest) -> bool:
    return (before.commit, before.hash, before.failures, before.skipped) == (
        now.commit,
        now.hash,
        now.failures,
        now.skipped,
    )


def _write(store: ObjectStore, items: Sequence[tuple[SnapshotEntry, bytes]]) -> None:
    def put(item: tuple[SnapshotEntry, bytes]) -> None:
        entry, data = item
        key = f"{ITEMS}{entry.object}.json"
        if store.head(key) is None:
            store.put(key, data)

    with ThreadPoolExecutor(_WRITERS) as pool:
        for _ in pool.map(put, items):
            pass


def _remove_unnamed(store: ObjectStore, manifest: KnowledgeManifest, now: datetime) -> None:
    named: Mapping[str, object] = {f"{ITEMS}{each.object}.json": each for each in manifest.items}
    for key in [each for each in store.keys(ITEMS) if each not in named]:
        try:
            written = store.get(key).modified_at
            if written is not None and now - written > UNNAMED_KEPT_FOR:
                store.delete(key)
        except StoreError:
            # Somebody else removes it, or the next sync does.
            continue


def _hash(value: object) -> str:
    return sha256(json.dumps(value, ensure_ascii=True, sort_keys=True).encode()).hexdigest()
