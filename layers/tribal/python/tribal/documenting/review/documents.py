"""Read every table's document, one at a time."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.errors import ManifestError
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import read_record, require_manifest
from tribal_contracts import TableDocument


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
