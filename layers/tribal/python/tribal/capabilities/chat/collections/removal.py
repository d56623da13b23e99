"""Remove files from collections: at once from answers, then from the store.

First the file is taken out of `manifest.json`, so that no answer uses it. Then the collection's next job deletes its
original, its passages and every index generation that contains it, and records that it is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.collections.publishing import publish_index
from tribal.capabilities.chat.errors import CollectionNotFound
from tribal.ports import Clock
from tribal.ports.passages import PassageIndexes
from tribal_contracts.chat.collections import CollectionManifest, CollectionSource, RemovedSource

GONE_WITHIN = timedelta(days=1)
"""Time until the last copy of a removed file is gone. By judgement: a queue delivers within hours, and function
instances, which keep an index on their disk, do not live longer."""
_SHOWN = 20
"""Maximum number of names in a message."""


def find_source(collection: str, sources: Sequence[CollectionSource], name: str) -> CollectionSource:
    """Return the file with this ID, or the only file with this name or path in an archive.

    Args:
        collection: name of the collection.
        sources: the files of the collection.
        name: name of the file, its path in an archive, or its ID.

    Raises:
        CollectionNotFound: when the collection has no such file, or several files with that name.
    """
    found = (
        [each for each in sources if name == each.source_id]
        or [each for each in sources if name in each.paths]
        or [each for each in sources if name in each.names]
    )
    if len(found) == 1:
        return found[0]
    if found:
        paths = {path for each in found for path in each.paths[:1]}
        what, told_apart = ("a path", sorted(paths)) if len(paths) == len(found) else ("an ID", _ids(found))
        raise CollectionNotFound(
            f"collection {collection!r} has {len(found)} files named {name!r}; specify {what}: {', '.join(told_apart)}"
        )
    names = sorted({name for each in sources for name in shown_names(each)})
    listed = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
    raise CollectionNotFound(
        f"collection {collection!r} has no file {name[:100]!r}; " + (f"it has {listed}" if listed else "it is empty")
    )


def _ids(sources: list[CollectionSource]) -> list[str]:
    return [each.source_id for each in sources]


def shown_names(source: CollectionSource) -> list[str]:
    """Return the names of a file. A file in a folder of an archive is listed by its path."""
    within = {each.rpartition("/")[2] for each in source.paths}
    return [*source.paths, *(each for each in source.names if each not in within)]


def withdraw(files: CollectionFiles, source_id: str, removed_at: str) -> None:
    """Take a file out of answers. Does nothing if it was added again after `removed_at`."""

    def without(manifest: CollectionManifest) -> CollectionManifest:
        moment = datetime.fromisoformat(removed_at)
        kept = [
            each
            for each in manifest.sources
            if each.source_id != source_id or datetime.fromisoformat(each.added_at) > moment
        ]
        if len(kept) == len(manifest.sources):
            return manifest
        removed = [*manifest.removed, RemovedSource(source_id=source_id, removed_at=removed_at)]
        return manifest.model_copy(update={"sources": kept, "removed": removed})

    files.change_manifest(without)


def delete_withdrawn(files: CollectionFiles, indexes: PassageIndexes, clock: Clock) -> None:
    """Delete everything that is stored for withdrawn files. Safe to repeat after a crash at any point.

    Raises:
        IndexWriteFailed: when the index without these files cannot be published.
    """
    manifest = files.manifest()
    withdrawn = {each.source_id for each in manifest.removed if each.gone_at is None}
    if not withdrawn:
        return
    for source_id in sorted(withdrawn):
        files.erase(files.source_folder(source_id))
    publish_index(files, indexes)
    gone_at = clock.published()

    def recorded(manifest: CollectionManifest) -> CollectionManifest:
        removed = [
            each.model_copy(update={"gone_at": gone_at})
            if each.source_id in withdrawn and each.gone_at is None
            else each
            for each in manifest.removed
        ]
        return manifest.model_copy(update={"removed": removed})

    files.change_manifest(recorded)


def gone_by(removed_at: str) -> str:
    """Return when the last copy of a removed file will be gone."""
    return f"{datetime.fromisoformat(removed_at) + GONE_WITHIN:%Y-%m-%dT%H:%M:%SZ}"
