"""Replaces the records of files in an unpublished generation, in a way that can be interrupted anywhere.

Every document of a file bears the content hash of that file, and the order of writing is: records, the document about
the file itself, then the removal of what is left over. So a file whose replacement was interrupted has documents that
disagree, or none about itself. Nothing is visible before the caller refreshes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tribal.adapters.opensearch.bulk import Action, BulkWriter
from tribal.adapters.opensearch.layout import record_document, source_id
from tribal.adapters.opensearch.multi_search import Reader
from tribal.adapters.opensearch.queries import PAGE, Body
from tribal.identity.hashing import record_id
from tribal.ports import IndexEntry

FILES_AT_ONCE = 500
INTERRUPTED = ""
"""The content hash of a file whose replacement was interrupted."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """New records for a file; without a content hash, the file itself is forgotten."""

    path: str
    entries: Sequence[IndexEntry]
    content_hash: str | None

    @classmethod
    def of(cls, path: str, entries: Sequence[IndexEntry], content_hash: str | None) -> FileChange:
        """The change that replaces a file's records with these entries; by default, the hash is that of the first."""
        return cls(path, entries, content_hash or (entries[0].record.content_hash if entries else None))

    @property
    def records(self) -> list[Action]:
        """The actions that write the records."""
        return [
            Action(str(entry.record.id), record_document(entry, self.path) | {"content_hash": self.content_hash})
            for entry in self.entries
        ]

    @property
    def about_itself(self) -> Action:
        """The action that writes the document about the file, or removes it."""
        document = {
            "kind": "file",
            "id": record_id("file", self.path),
            "path": self.path,
            "content_hash": self.content_hash,
        }
        return Action(source_id(self.path), None if self.content_hash is None else document)


class FileWriter:
    """Writes the changes of files through the alias of one generation."""

    def __init__(self, reader: Reader, writer: BulkWriter, alias: str) -> None:
        self._reader = reader
        self._writer = writer
        self._alias = alias

    def write(self, changes: Sequence[FileChange]) -> None:
        """Perform the changes; what was written to these files before must have been refreshed."""
        for start in range(0, len(changes), FILES_AT_ONCE):
            self._write(changes[start : start + FILES_AT_ONCE])

    def _write(self, changes: Sequence[FileChange]) -> None:
        records = [action for change in changes for action in change.records]
        written = {action.document_id for action in records}
        left_over = [action for action in self._removals(changes) if action.document_id not in written]
        for actions in (records, [change.about_itself for change in changes], left_over):
            self._writer.write(self._alias, actions)

    def _removals(self, changes: Sequence[FileChange]) -> Iterator[Action]:
        """An action for each record that the files have now, unless it is written meanwhile."""
        query = {"bool": {"filter": {"terms": {"path": [change.path for change in changes]}}, "must_not": _ABOUT_FILES}}
        for hit in self._reader.hits(self._alias, query, ()):
            yield Action(hit["_id"], None, seen=(hit["_seq_no"], hit["_primary_term"]))


_ABOUT_FILES = {"term": {"kind": "file"}}


def files_of(reader: Reader, generation: str) -> dict[str, str]:
    """Content hash of each file in a generation, by path; `INTERRUPTED` where its documents disagree."""
    hashes: defaultdict[str, set[str]] = defaultdict(set)
    whole: set[str] = set()
    for bucket in _buckets(reader, generation):
        path, content_hash = bucket["key"]["path"], bucket["key"]["content_hash"]
        hashes[path].add(content_hash)
        if bucket["about_itself"]["doc_count"]:
            whole.add(path)
    return {
        path: next(iter(found)) if path in whole and len(found) == 1 else INTERRUPTED
        for path, found in sorted(hashes.items())
    }


def _buckets(reader: Reader, generation: str) -> Iterator[Mapping[str, Any]]:
    sources = [{field: {"terms": {"field": field}}} for field in ("path", "content_hash")]
    page: Body = {"size": PAGE, "sources": sources}
    while True:
        files = {"composite": page, "aggs": {"about_itself": {"filter": _ABOUT_FILES}}}
        (answer,) = reader.search(generation, {"size": 0, "track_total_hits": False, "aggs": {"files": files}})
        found = answer["aggregations"]["files"]
        yield from found["buckets"]
        if len(found["buckets"]) < PAGE:
            return
        page = page | {"after": found["after_key"]}
