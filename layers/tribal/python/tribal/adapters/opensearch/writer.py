"""Builds the index in OpenSearch: a new generation next to the current one.

The records of a file are replaced in a way that can be interrupted anywhere. Every document of a file bears the content
hash of that file, and the order of writing is: records, the document about the file itself, then the removal of what is
left over. So a file whose replacement was interrupted has documents that disagree, or none about itself. Nothing is
visible before the caller refreshes.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException

from tribal.adapters.opensearch.bulk import Action, BulkWriter
from tribal.adapters.opensearch.generations import Generations, writing_alias
from tribal.adapters.opensearch.index import OpenSearchIndex
from tribal.adapters.opensearch.layout import LAYOUT, record_document, source_id
from tribal.adapters.opensearch.multi_search import Reader
from tribal.adapters.opensearch.queries import PAGE, Body
from tribal.adapters.opensearch.state import graph_actions, state_action
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.identity.hashing import record_id
from tribal.ports import INDEX_VERSION, IndexCounts, IndexEntry
from tribal_contracts import IndexMetadata, KeyGraph


class OpenSearchIndexWriter(OpenSearchIndex):
    """The `IndexWriter` of OpenSearch, which can also be read.

    Args:
        client: client of the cluster.
        name: name of the index: lower case letters, digits and hyphens.
        pause: sleeps between attempts after a transient failure.
    """

    def __init__(
        self,
        client: OpenSearch,
        name: str = "tribal-knowledge",
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(client, name, pause=pause)
        self._generations = Generations(client, name)
        self._bulk = BulkWriter(client, pause)
        self._open_generation: str | None = None
        self._not_refreshed: set[str] = set()

    def is_unfinished(self, model: str) -> bool:
        """Whether an interrupted writer left a generation that `begin` would resume."""
        with self._writing():
            return self._generations.unfinished(_metadata_of(model)) is not None

    def begin(self, model: str, dimensions: int, *, from_scratch: bool = False) -> dict[str, str]:
        """Begin the next generation or resume an interrupted one; returns the hashes of the files already in it.

        A partially written file has the content hash `_INTERRUPTED`.
        """
        with self._writing():
            self._open_generation = self._generations.begin(_metadata_of(model), dimensions, from_scratch=from_scratch)
            self._refresh()
            return _files_of(self._reader, self._open_generation)

    def counts(self) -> IndexCounts:
        """The size of the generation under construction."""
        body = {
            "size": 0,
            "query": {"term": {"kind": "record"}},
            "aggs": {"vectors": {"value_count": {"field": "vectors"}}},
            "track_total_hits": True,
        }
        with self._writing():
            self._refresh()
            (found,) = self._reader.search(self._generation(), body)
        return IndexCounts(found["hits"]["total"]["value"], found["aggregations"]["vectors"]["value"])

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Replace the records of changed files, visible when the generation is finished."""
        known = hashes or {}
        changes = [_FileChange.of(path, (), None) for path in removed if path not in changed]
        changes += [_FileChange.of(path, entries, known.get(path)) for path, entries in changed.items()]
        paths = {change.path for change in changes}
        with self._writing():
            # Every refresh leaves a segment to merge, and files are seldom replaced twice.
            if not self._not_refreshed.isdisjoint(paths):
                self._refresh()
            self._not_refreshed |= paths
            _FileWriter(self._reader, self._bulk, writing_alias(self._generation())).write(changes)
            self._require_started()

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Atomically publish the generation with its key graph and metadata."""
        pieces = graph_actions(graph)
        with self._writing():
            generation = self._generation()
            self._require_started()
            alias = writing_alias(generation)
            self._bulk.write(alias, pieces)
            self._bulk.write(alias, [state_action(metadata, pieces)])
            self._drop_graphs_but(alias, [piece.document_id for piece in pieces])
            self._refresh()
            self._generations.publish(generation)
            self._open_generation = None

    def is_intact(self) -> bool:
        """Whether the current generation is as it was published; OpenSearch checks its own files."""
        return True

    def abandon(self) -> None:
        """Remove the unfinished generation."""
        self._open_generation = None
        with self._writing():
            self._generations.abandon()

    def close(self) -> None:
        """Clear the caches and stop writing; the connections end with the process."""
        self._open_generation = None
        super().close()

    def _generation(self) -> str:
        if self._open_generation is None:
            raise IndexWriteFailed(f"call begin() before writing to {self._name!r}")
        return self._open_generation

    def _require_started(self) -> None:
        """Fail if another writer has started since: readers would never see the write."""
        if self._generation() != self._generations.resolve(self._generations.next_name):
            raise IndexWriteFailed(f"the new generation of {self._name!r} was abandoned or replaced; index again")

    def _drop_graphs_but(self, alias: str, kept: Sequence[str]) -> None:
        """Remove the pieces of the key graph of the generation that this one was cloned from."""
        query = {"bool": {"filter": {"term": {"kind": "graph"}}, "must_not": {"ids": {"values": list(kept)}}}}
        self._client.delete_by_query(index=alias, body={"query": query})

    def _refresh(self) -> None:
        self._client.indices.refresh(index=self._generation())
        self._not_refreshed.clear()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OpenSearchException, IndexNotReady) as exc:
            raise IndexWriteFailed(
                f"the index {self._name!r} refused a write: {str(exc)[:300]}; check that the domain is healthy, that "
                "the role in use may write to it, then index again"
            ) from exc


def _metadata_of(model: str) -> dict[str, str]:
    """Metadata that a generation must match to be cloned."""
    return {"version": INDEX_VERSION, "layout": LAYOUT, "model": model}


_FILES_AT_ONCE = 500
_INTERRUPTED = ""
"""The content hash of a file whose replacement was interrupted."""


@dataclass(frozen=True, slots=True)
class _FileChange:
    """New records for a file; without a content hash, the file itself is forgotten."""

    path: str
    entries: Sequence[IndexEntry]
    content_hash: str | None

    @classmethod
    def of(cls, path: str, entries: Sequence[IndexEntry], content_hash: str | None) -> _FileChange:
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


class _FileWriter:
    """Writes the changes of files through the alias of one generation."""

    def __init__(self, reader: Reader, writer: BulkWriter, alias: str) -> None:
        self._reader = reader
        self._writer = writer
        self._alias = alias

    def write(self, changes: Sequence[_FileChange]) -> None:
        """Perform the changes; what was written to these files before must have been refreshed."""
        for start in range(0, len(changes), _FILES_AT_ONCE):
            self._write(changes[start : start + _FILES_AT_ONCE])

    def _write(self, changes: Sequence[_FileChange]) -> None:
        records = [action for change in changes for action in change.records]
        written = {action.document_id for action in records}
        left_over = [action for action in self._removals(changes) if action.document_id not in written]
        for actions in (records, [change.about_itself for change in changes], left_over):
            self._writer.write(self._alias, actions)

    def _removals(self, changes: Sequence[_FileChange]) -> Iterator[Action]:
        """An action for each record that the files have now, unless it is written meanwhile."""
        query = {"bool": {"filter": {"terms": {"path": [change.path for change in changes]}}, "must_not": _ABOUT_FILES}}
        for hit in self._reader.hits(self._alias, query, ()):
            yield Action(hit["_id"], None, seen=(hit["_seq_no"], hit["_primary_term"]))


_ABOUT_FILES = {"term": {"kind": "file"}}


def _files_of(reader: Reader, generation: str) -> dict[str, str]:
    """Content hash of each file in a generation, by path; `_INTERRUPTED` where its documents disagree."""
    hashes: defaultdict[str, set[str]] = defaultdict(set)
    whole: set[str] = set()
    for bucket in _buckets(reader, generation):
        path, content_hash = bucket["key"]["path"], bucket["key"]["content_hash"]
        hashes[path].add(content_hash)
        if bucket["about_itself"]["doc_count"]:
            whole.add(path)
    return {
        path: next(iter(found)) if path in whole and len(found) == 1 else _INTERRUPTED
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
