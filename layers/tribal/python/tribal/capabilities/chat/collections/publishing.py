"""Publish the index of a collection from its files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.parts import ChatParts
from tribal.errors import IndexNotReady, RunLocked
from tribal.identity.locations import collection_lease
from tribal.jobs.lease import RunLease
from tribal.ports import StopToken
from tribal.ports.passages import PassageIndexes
from tribal_contracts.chat.collections import CollectionRecord, StoredPassage
from tribal_contracts.chat.settings import CATALOG

if TYPE_CHECKING:
    from tribal.ports import Application


def publish_index(files: CollectionFiles, indexes: PassageIndexes, *, force: bool = False) -> None:
    """Build the index from the files in the manifest. Does nothing if the index is up to date, unless forced.

    Raises:
        IndexWriteFailed: when it cannot be published.
    """
    record = files.record()
    if record is None:
        return
    sources = _sources(files)
    if force or not files.is_indexed(sources, record.embedding):
        indexes.publish(files.name, _passages(files, sources), record.embedding)


def rebuild_indexes(app: Application, *, force: bool) -> Iterator[str]:
    """Rebuild the indexes that are missing or unusable, or all of them; yield a line for each rebuilt index.

    Skips collections that another process is working on.

    Raises:
        IndexWriteFailed: when an index cannot be published.
    """
    parts = app.part(ChatParts)
    if parts is None:
        return
    for entry in parts.settings.collections:
        files = CollectionFiles(app.store(), entry.title)
        record = None if entry.title == CATALOG else files.record()
        if record is None or not (force or _is_lost(files, record, parts.indexes())):
            continue
        with suppress(RunLocked), RunLease.of(app, collection_lease(entry.title), "index", StopToken()):
            publish_index(files, parts.indexes(), force=True)
            yield f"rebuilt the index of collection {entry.title}"


def _is_lost(files: CollectionFiles, record: CollectionRecord, indexes: PassageIndexes) -> bool:
    """Return whether the index is missing or damaged, has a different version, or does not match the manifest."""
    try:
        return indexes.current(files.name) is None or not files.is_indexed(_sources(files), record.embedding)
    except IndexNotReady:
        return True


def _sources(files: CollectionFiles) -> list[str]:
    return sorted(each.source_id for each in files.manifest().sources)


def _passages(files: CollectionFiles, sources: list[str]) -> Iterator[tuple[str, StoredPassage]]:
    for source_id in sources:
        for passage in files.passages(source_id):
            yield source_id, passage
