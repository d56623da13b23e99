"""Write indexable files; unchanged ones keep their modification times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from tribal.documenting.files import write_document
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import is_as_written
from tribal_contracts import IndexableFile, WrittenFile


class Publisher:
    """Writes files under `docs/` and records their manifest entries.

    `known` are the files of the last manifest and files written since.
    """

    def __init__(self, store: ObjectStore, known: Iterable[IndexableFile], now: str) -> None:
        self._store = store
        self._now = now
        self._known = {file.path: file for file in known}
        self._published: dict[str, IndexableFile] = {}

    @property
    def published(self) -> list[IndexableFile]:
        """Entries of all files published or found unchanged so far."""
        return list(self._published.values())

    def publish(
        self,
        path: str,
        data: bytes,
        kind: Literal["domain", "overview", "relationship"],
        *,
        database: str,
        domain: str | None = None,
    ) -> IndexableFile:
        """Write a file unless it already has these bytes."""
        known = self._known.get(path)
        earlier = (
            WrittenFile(
                path=path,
                content_hash=known.content_hash,
                size_bytes=known.size_bytes,
                modified_at=known.modified_at,
            )
            if known
            else None
        )
        written = write_document(self._store, path, data, now=self._now, earlier=earlier)
        file = IndexableFile(
            path=path,
            type=kind,
            database=database,
            domain=domain,
            content_hash=written.content_hash,
            size_bytes=written.size_bytes,
            modified_at=written.modified_at,
        )
        self._published[path] = file
        return file

    def unchanged_file(self, path: str) -> IndexableFile | None:
        """The entry of a file that is unchanged since it was written; otherwise `None`."""
        known = self._known.get(path)
        if known is None or not is_as_written(self._store, locations.DOCS + path, known.content_hash):
            return None
        self._published[path] = known
        return known
