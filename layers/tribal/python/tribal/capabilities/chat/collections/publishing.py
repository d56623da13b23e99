"""Publishes the index of a collection from its files."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.ports.passages import PassageIndexes
from tribal_contracts.chat.collections import StoredPassage


def publish_index(files: CollectionFiles, indexes: PassageIndexes) -> None:
    """Build the index from what the manifest lists; does nothing if it was built from exactly that.

    Raises:
        IndexWriteFailed: when it cannot be published.
    """
    record = files.record()
    if record is None:
        return
    manifest = files.manifest()
    sources = sorted(each.source_id for each in manifest.sources)
    if not files.is_indexed(sources, record.embedding):
        indexes.publish(files.name, _passages(files, sources), record.embedding)


def _passages(files: CollectionFiles, sources: list[str]) -> Iterator[tuple[str, StoredPassage]]:
    for source_id in sources:
        for passage in files.passages(source_id):
            yield source_id, passage
