"""Publishes a source's items as an immutable snapshot; queries read only snapshots.

Each item is stored under the hash of its content. The manifest lists them and is replaced last, so a killed process
leaves either the old or the new snapshot. Files with unchanged bytes are not read again.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from pydantic import TypeAdapter, ValidationError

from tribal.capabilities.knowledge.items.item_file import ReadItem, read_item
from tribal.capabilities.knowledge.items.places import EVERYTHING, Layout, Place, SyncSelection
from tribal.capabilities.knowledge.snapshots.snapshot import ITEMS, MANIFEST, load_manifest
from tribal.errors import ItemUnusable, ObjectNotFound, PreconditionFailed, SourceFailed, StoreError, TribalError
from tribal.ports import ObjectStore
from tribal.ports.remembering.knowledge_source import KnowledgeSource, SourceEntry, SourceTree
from tribal_contracts.knowledge import (
    HistoryEntry,
    ItemFailure,
    KnowledgeItem,
    KnowledgeManifest,
    SkippedFile,
    SnapshotEntry,
)

DRAFT = "knowledge/draft.json"
"""Items that an interrupted sync has read, so that the next one need not."""
UNREFERENCED_RETENTION = timedelta(days=7)
"""How long to keep items that the current manifest no longer lists, for readers that still use an older one."""
_WRITERS = 8
_DRAFT = TypeAdapter(list[SnapshotEntry])


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The published snapshot, and the one before it."""

    manifest: KnowledgeManifest
    before: KnowledgeManifest | None
    changed: bool
    """Whether anything was written."""


def publish(
    source: KnowledgeSource,
    layout: Layout,
    store: ObjectStore,
    now: str,
    selection: SyncSelection = EVERYTHING,
    check: Callable[[], None] = lambda: None,
) -> PublishResult:
    """Publish the items of a source.

    If a file can no longer be read, its last published version stays and the failure is reported.

    Args:
        source: where the files are.
        layout: which of its files are items.
        store: where the snapshot goes.
        now: when it is published.
        wanted: the items to read; all others stay as published.
        check: called before each file, and before anything is published; if it raises, the next call resumes.

    Raises:
        SourceFailed: when the source cannot be read, or another process publishes at the same time. Retryable.
    """
    before, etag = load_manifest(store)
    tree = source.tree()
    placed = [
        (entry, place)
        for entry in tree.entries
        if (place := layout.place_of(entry.path)) is not None and selection.takes(place.layer, place.type)
    ]
    last = {} if before is None else {each.path: each for each in before.items}
    draft = _load_draft(store)
    known = {} if selection.rebuild else {**last, **draft}
    kept = [known[entry.path] for entry, place in placed if _is_same(known.get(entry.path), entry, place)]
    same = {each.path for each in kept}
    reading = _ItemReader([(entry, place) for entry, place in placed if entry.path not in same], source, now)
    try:
        reading.read(check)
        check()
    except TribalError:
        _write(store, reading.items)
        store.put(DRAFT, _DRAFT.dump_json([*kept, *(entry for entry, _ in reading.items)], by_alias=True))
        raise
    others = [] if before is None else [each for each in before.items if not selection.takes(each.layer, each.type)]
    usable = [last[path] for path, place in reading.failed.items() if _is_of(last.get(path), place)]
    entries, twice = _unique(others, [*kept, *usable, *(entry for entry, _ in reading.items)])
    failures = [*_refused(tree, layout), *reading.failures, *twice, *_other_failures(before, selection)]
    skipped = [*reading.skipped, *(_other_skipped(before, selection))]
    commit = tree.commit or _hash([[entry.path, entry.version] for entry, _ in placed])
    manifest = KnowledgeManifest(
        schema_version="1.0",
        commit=commit if selection.is_all or before is None else before.commit,
        published_at=now,
        items=entries,
        failures=sorted(failures, key=lambda each: each.path),
        skipped=sorted(skipped, key=lambda each: each.path),
        hash=_hash([each.model_dump() for each in entries]),
    )
    if before is not None and not selection.rebuild and _is_unchanged(before, manifest):
        _forget(draft, store)
        return PublishResult(before, before, changed=False)
    _write(store, reading.items)
    try:
        store.put(MANIFEST, manifest.to_json(), if_match=etag, if_absent=etag is None)
    except PreconditionFailed as error:
        raise SourceFailed("another process published knowledge at the same time; run `tribal sync` again") from error
    _forget(draft, store)
    _remove_unreferenced(store, manifest, datetime.fromisoformat(now))
    return PublishResult(manifest, before, changed=True)


def _load_draft(store: ObjectStore) -> dict[str, SnapshotEntry]:
    """The items that an interrupted sync has read."""
    try:
        return {each.path: each for each in _DRAFT.validate_json(store.get(DRAFT).data)}
    except (ObjectNotFound, ValidationError):
        return {}


def _forget(draft: Mapping[str, SnapshotEntry], store: ObjectStore) -> None:
    if draft:
        store.delete(DRAFT)


def _refused(tree: SourceTree, layout: Layout) -> list[ItemFailure]:
    misplaced = [
        ItemFailure(path=entry.path, line=None, reason=reason)
        for entry in tree.entries
        if (reason := layout.refusal_of(entry.path)) is not None
    ]
    return [*misplaced, *(each for each in tree.refused if layout.place_of(each.path) is not None)]


def _other_failures(before: KnowledgeManifest | None, selection: SyncSelection) -> list[ItemFailure]:
    failures = [] if before is None else before.failures
    return [each for each in failures if not selection.takes(each.layer, each.type)]


def _other_skipped(before: KnowledgeManifest | None, selection: SyncSelection) -> list[SkippedFile]:
    skipped = [] if before is None else before.skipped
    return [each for each in skipped if not selection.takes(each.layer, each.type)]


def _is_same(known: SnapshotEntry | None, entry: SourceEntry, place: Place) -> bool:
    return _is_of(known, place) and known is not None and known.version == entry.version


def _is_of(known: SnapshotEntry | None, place: Place) -> bool:
    return known is not None and (known.layer, known.owner, known.type) == (place.layer, place.owner, place.type)


class _ItemReader:
    """Reads files and collects the results.

    Attributes:
        items: the items, each with its bytes.
        failures: failures of files that could not be read as items.
        failed: the places of those files.
        skipped: files of items that are not published.
    """

    def __init__(self, placed: Sequence[tuple[SourceEntry, Place]], source: KnowledgeSource, now: str) -> None:
        self._placed = placed
        self._source = source
        self._now = now
        self.items: list[tuple[SnapshotEntry, bytes]] = []
        self.failures: list[ItemFailure] = []
        self.failed: dict[str, Place] = {}
        self.skipped: list[SkippedFile] = []

    def read(self, check: Callable[[], None]) -> None:
        """Read every file."""
        history = self._source.history([entry.path for entry, _ in self._placed]) if self._placed else {}
        for entry, place in self._placed:
            check()
            try:
                item = read_item(entry.path, self._source.read(entry), place)
            except ItemUnusable as error:
                self.failed[entry.path] = place
                self.failures.append(_failure(entry.path, place, error.message, error.line))
                continue
            if item is None:
                self.skipped.append(SkippedFile(path=entry.path, layer=place.layer, type=place.type))
            else:
                self.items.append(_item(entry, place, item, history.get(entry.path, ()), self._now))


def _failure(path: str, place: Place | SnapshotEntry, reason: str, line: int | None = None) -> ItemFailure:
    return ItemFailure(path=path, line=line, reason=reason, layer=place.layer, owner=place.owner, type=place.type)


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
        unreadable=read.unreadable,
        tables=read.tables,
        warnings=list(read.warnings),
        history=list(history),
    )
    data = item.to_json()
    published_entry = SnapshotEntry(
        id=item.id,
        type=item.type,
        layer=item.layer,
        owner=item.owner,
        path=item.path,
        object=sha256(data).hexdigest(),
        version=entry.version,
        supersedes=item.supersedes,
    )
    return published_entry, data


def _times(entry: SourceEntry, read: ReadItem, history: Sequence[HistoryEntry], now: str) -> tuple[str, str]:
    """When it was created and last changed: as declared, else by its history, else when its file was written."""
    first = history[-1].timestamp if history else None
    last = history[0].timestamp if history else None
    stated = None if read.created is None else f"{read.created}T00:00:00Z"
    created = stated or first or entry.modified_at or now
    updated = (None if read.updated is None else f"{read.updated}T00:00:00Z") or last or entry.modified_at or created
    return created, updated


def _unique(
    untouched: Sequence[SnapshotEntry], read: Sequence[SnapshotEntry]
) -> tuple[list[SnapshotEntry], list[ItemFailure]]:
    """The items by path, one for each id of an owner; of several with one id, an untouched one stays,
    or else the first by path."""
    found: dict[tuple[str, str, str], SnapshotEntry] = {}
    twice: list[ItemFailure] = []
    for entry in [*untouched, *sorted(read, key=lambda each: each.path)]:
        first = found.setdefault((entry.layer, entry.owner, entry.id), entry)
        if first is not entry:
            twice.append(_failure(entry.path, entry, f"its id {entry.id!r} is already used by {first.path!r}"))
    return sorted(found.values(), key=lambda each: each.path), twice


def _is_unchanged(before: KnowledgeManifest, now: KnowledgeManifest) -> bool:
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


def _remove_unreferenced(store: ObjectStore, manifest: KnowledgeManifest, now: datetime) -> None:
    named: Mapping[str, object] = {f"{ITEMS}{each.object}.json": each for each in manifest.items}
    for key in [each for each in store.keys(ITEMS) if each not in named]:
        try:
            written = store.get(key).modified_at
            if written is not None and now - written > UNREFERENCED_RETENTION:
                store.delete(key)
        except StoreError:
            # Another process removes it, or the next sync does.
            continue


def _hash(value: object) -> str:
    return sha256(json.dumps(value, ensure_ascii=True, sort_keys=True).encode()).hexdigest()
