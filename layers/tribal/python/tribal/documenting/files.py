"""Files under `docs/`: written only if they change, and checked against what was written."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.errors import ManifestError
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash
from tribal.ports import ObjectStore
from tribal.store import content_hash, put_if_changed, read_record, report_damage, require_manifest
from tribal_contracts import TableDocument, WrittenFile


def write_document(
    store: ObjectStore, path: str, data: bytes, *, now: str, earlier: WrittenFile | None = None
) -> WrittenFile:
    """Write a file under `docs/`; an unchanged file keeps its modification time."""
    digest = bytes_hash(data)
    written = put_if_changed(store, locations.DOCS + path, data)
    kept = not written and earlier is not None and earlier.content_hash == digest
    return WrittenFile(
        path=path,
        content_hash=digest,
        size_bytes=len(data),
        modified_at=earlier.modified_at if kept and earlier else now,
    )


def is_intact(store: ObjectStore, file: WrittenFile) -> bool:
    """Whether a file under `docs/` exists and is unchanged since it was written."""
    key = locations.DOCS + file.path
    intact = content_hash(store, key) == file.content_hash
    if not intact:
        report_damage(store, key)
    return intact


def table_documents(store: ObjectStore) -> Iterator[TableDocument]:
    """Every table's document, in the order of the manifest.

    Raises:
        ManifestError: when nothing is documented yet, or a document is missing or cannot be read.
    """
    for file in require_manifest(store).manifest.indexable_files:
        if file.type != "table":
            continue
        document = read_record(store, locations.DOCS + file.path, TableDocument)
        if document is None:
            raise ManifestError(
                f"{locations.DOCS}{file.path} is missing or damaged; rebuild it with `tribal run`",
                code="MANIFEST_FILE_MISSING",
            )
        yield document
