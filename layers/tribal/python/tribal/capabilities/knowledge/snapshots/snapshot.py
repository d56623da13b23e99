"""Reads the published snapshot, without importing what reads knowledge files.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

from posixpath import join, normpath

from pydantic import ValidationError

from tribal.errors import ObjectNotFound, SourceFailed, StoreError
from tribal.ports import ObjectStore
from tribal_contracts.knowledge import KnowledgeItem, KnowledgeManifest, SnapshotEntry

MANIFEST = "knowledge/manifest.json"
ITEMS = "knowledge/items/"


def load_manifest(store: ObjectStore) -> tuple[KnowledgeManifest | None, str | None]:
    """The manifest and its `etag`, if there is a published snapshot.

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


def superseding(manifest: KnowledgeManifest, item: KnowledgeItem) -> list[str]:
    """Ids of the items that supersede one, declared by either side."""
    by_path = {each.path: each.id for each in manifest.items}
    ids = {each.id for each in manifest.items}
    documented_names = item.path.rpartition("/")[0]
    declared = [
        by_path.get(normpath(join(documented_names, each.partition("#")[0])), each) for each in item.superseded_by or ()
    ]
    others = [each.id for each in manifest.items if each.supersedes == item.id]
    return list(dict.fromkeys(each for each in (*declared, *others) if each in ids and each != item.id))
