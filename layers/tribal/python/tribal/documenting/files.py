"""Files under `docs/`: written only if they change, and compared with what was written."""

from __future__ import annotations

from tribal.catalog import locations
from tribal.catalog.hashing import bytes_hash
from tribal.ports import ObjectStore
from tribal.store import put_if_changed
from tribal_contracts import WrittenFile


def write_document(
    store: ObjectStore, path: str, data: bytes, *, now: str, earlier: WrittenFile | None = None
) -> WrittenFile:
    """Write a file under `docs/`; one that already has these bytes keeps its modification time."""
    content_hash = bytes_hash(data)
    written = put_if_changed(store, locations.DOCS + path, data)
    kept = not written and earlier is not None and earlier.content_hash == content_hash
    return WrittenFile(
        path=path,
        content_hash=content_hash,
        size_bytes=len(data),
        modified_at=earlier.modified_at if kept and earlier else now,
    )


def is_intact(store: ObjectStore, file: WrittenFile) -> bool:
    """Whether a file under `docs/` exists and is unchanged since it was written."""
    present = store.head(locations.DOCS + file.path)
    return present is not None and present.content_hash == file.content_hash
