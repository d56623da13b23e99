"""Publishes the index of a collection from its files."""

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
from tribal_contracts.chat.collections import StoredPassage
from tribal_contracts.chat.settings import CATALOG

if TYPE_CHECKING:
    from tribal.ports import Application


def publish_index(files: CollectionFiles, indexes: PassageIndexes, *, force: bool = False) -> bool:
    """Build the index from what the manifest lists, and return whether that was needed.

    Raises:
        IndexWriteFailed: when it cannot be published.
    """
    record = files.record()
    if record is None:
        return False
    manifest = files.manifest()
    sources = sorted(each.source_id for each in manifest.sources)
    if files.is_indexed(sources, record.embedding) and not force:
        return False
    indexes.publish(files.name, _passages(files, sources), record.embedding)
    return True


def rebuild_indexes(app: Application, *, force: bool) -> Iterator[str]:
    """Rebuild the indexes of collections that are missing or cannot be used, or all; yields a line for each.

    A collection that another process works on is left to it.

    Raises:
        IndexWriteFailed: when an index cannot be published.
    """
    parts = app.part(ChatParts)
    for entry in () if parts is None else parts.settings.collections:
        files = CollectionFiles(app.store(), entry.title)
        if parts is None or entry.title == CATALOG or files.record() is None:
            continue
        with suppress(RunLocked), RunLease.of(app, collection_lease(entry.title), "index", StopToken()):
            if publish_index(files, parts.indexes(), force=force or not _is_usable(entry.title, parts.indexes())):
                yield f"the index of collection {entry.title} is rebuilt"


def _is_usable(collection: str, indexes: PassageIndexes) -> bool:
    """Whether the current index can be opened: it is neither missing nor damaged nor from another version."""
    try:
        return indexes.current(collection) is not None
    except IndexNotReady:
        return False


def _passages(files: CollectionFiles, sources: list[str]) -> Iterator[tuple[str, StoredPassage]]:
    for source_id in sources:
        for passage in files.passages(source_id):
            yield source_id, passage
