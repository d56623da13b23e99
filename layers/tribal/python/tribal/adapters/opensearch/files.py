"""Replaces the records of files in a way that can be interrupted anywhere.

A file is marked before its records are touched and unmarked after the last of them, so that an interrupted replacement
is repeated. Every write carries the time at which its writer read the store as its version: the latest reading wins,
in whatever order the writes arrive. Nothing is visible before the caller refreshes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tribal.adapters.opensearch.bulk import Action, BulkWriter
from tribal.adapters.opensearch.layout import record_document, source_id, version_of
from tribal.adapters.opensearch.reading import Reader
from tribal.adapters.opensearch.state import touch
from tribal.catalog.hashing import record_id
from tribal.ports import IndexEntry

FILES_AT_ONCE = 500
_UNFINISHED = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """New records for a file; without a content hash, the file itself is forgotten."""

    path: str
    records: Mapping[str, Action]
    content_hash: str | None
    version: int | None

    @classmethod
    def of(cls, path: str, entries: Sequence[IndexEntry], content_hash: str | None) -> FileChange:
        """Build the change that replaces a file's records with these entries."""
        records = {
            str(entry.record.id): Action(
                str(entry.record.id), record_document(entry, path), version_of(entry.record.indexed_at)
            )
            for entry in entries
        }
        versions = [action.version or 0 for action in records.values()]
        known = content_hash or (entries[0].record.content_hash if entries else None)
        return cls(path, records, known, max(versions, default=None))


@dataclass(frozen=True, slots=True)
class _Present:
    """A document of a file that is currently in the index."""

    document_id: str
    path: str
    version: int


class FileWriter:
    """Writes the changes of files through the alias of one generation."""

    def __init__(self, reader: Reader, writer: BulkWriter, alias: str) -> None:
        self._reader = reader
        self._writer = writer
        self._alias = alias

    def write(self, changes: Sequence[FileChange], *, first: bool = False) -> None:
        """Perform the changes; the caller must have refreshed, unless this is the `first` write to these files."""
        for start in range(0, len(changes), FILES_AT_ONCE):
            some = changes[start : start + FILES_AT_ONCE]
            self._write(some, [] if first else list(self._present([change.path for change in some])))

    def _write(self, changes: Sequence[FileChange], present: Sequence[_Present]) -> None:
        marks = {source_id(change.path): change for change in changes}
        marked = {found.document_id: found.version for found in present if found.document_id in marks}
        versions = {
            name: change.version if change.version is not None else marked.get(name, 0)
            for name, change in marks.items()
        }
        superseded = self._writer.write(
            self._alias,
            [
                _file(name, change, _UNFINISHED, versions[name])
                for name, change in marks.items()
                if name in marked or change.content_hash is not None
            ],
        )
        ours = {name: change for name, change in marks.items() if name not in superseded}
        self._write_records(ours, present)
        finished = [_finished(name, change, versions[name]) for name, change in ours.items()]
        superseded = self._writer.write(self._alias, [*finished, touch()])
        # A writer with a later reading overtook us: remove what we added that it does not know of.
        self._writer.write(
            self._alias,
            [
                Action(action.document_id, None, action.version)
                for name in superseded
                for action in ours[name].records.values()
            ],
        )

    def _write_records(self, changes: Mapping[str, FileChange], present: Sequence[_Present]) -> None:
        written = {action.document_id: action for change in changes.values() for action in change.records.values()}
        paths = {change.path for change in changes.values()}
        gone = [
            Action(found.document_id, None, found.version)
            for found in present
            if found.path in paths and found.document_id not in written and found.document_id not in changes
        ]
        self._writer.write(self._alias, [*gone, *written.values()])

    def _present(self, paths: Sequence[str]) -> Iterator[_Present]:
        for _, hits in self._reader.pages(self._alias, {"terms": {"path": list(paths)}}, ["path"]):
            for hit in hits:
                yield _Present(hit["_id"], hit["fields"]["path"][0], hit["_version"])


def _file(name: str, change: FileChange, content_hash: str, version: int) -> Action:
    document: dict[str, Any] = {
        "kind": "file",
        "id": record_id("file", change.path),
        "path": change.path,
        "content_hash": content_hash,
    }
    return Action(name, document, version)


def _finished(name: str, change: FileChange, version: int) -> Action:
    if change.content_hash is None:
        return Action(name, None, version)
    return _file(name, change, change.content_hash, version)
