"""Builds the index in OpenSearch: a new generation next to the current one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException

from tribal.adapters.opensearch.bulk import BulkWriter
from tribal.adapters.opensearch.files import FileChange, FileWriter, files_of
from tribal.adapters.opensearch.generations import Generations, writing_alias
from tribal.adapters.opensearch.index import OpenSearchIndex
from tribal.adapters.opensearch.layout import LAYOUT
from tribal.adapters.opensearch.state import graph_actions, state_action
from tribal.errors import IndexNotReady, IndexWriteFailed
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
        self._begun: str | None = None
        self._not_refreshed: set[str] = set()

    def is_unfinished(self, model: str) -> bool:
        """Whether an interrupted writer left a generation that `begin` would resume."""
        with self._writing():
            return self._generations.unfinished(_about(model)) is not None

    def begin(self, model: str, dimensions: int, *, from_scratch: bool = False) -> dict[str, str]:
        """Begin the next generation or resume an interrupted one; returns the hashes of the files already in it.

        A partially written file has the content hash `INTERRUPTED`.
        """
        with self._writing():
            self._begun = self._generations.begin(_about(model), dimensions, from_scratch=from_scratch)
            self._refresh()
            return files_of(self._reader, self._begun)

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
        changes = [FileChange.of(path, (), None) for path in removed if path not in changed]
        changes += [FileChange.of(path, entries, known.get(path)) for path, entries in changed.items()]
        paths = {change.path for change in changes}
        with self._writing():
            # Every refresh leaves a segment to merge, and files are seldom replaced twice.
            if not self._not_refreshed.isdisjoint(paths):
                self._refresh()
            self._not_refreshed |= paths
            FileWriter(self._reader, self._bulk, writing_alias(self._generation())).write(changes)
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
            self._begun = None

    def is_intact(self) -> bool:
        """Whether the current generation is as it was published; OpenSearch checks its own files."""
        return True

    def abandon(self) -> None:
        """Remove the unfinished generation."""
        self._begun = None
        with self._writing():
            self._generations.abandon()

    def close(self) -> None:
        """Clear the caches and stop writing; the connections end with the process."""
        self._begun = None
        super().close()

    def _generation(self) -> str:
        if self._begun is None:
            raise IndexWriteFailed(f"call begin() before writing to {self._name!r}")
        return self._begun

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


def _about(model: str) -> dict[str, str]:
    """Metadata that a generation must match to be cloned."""
    return {"version": INDEX_VERSION, "layout": LAYOUT, "model": model}
