"""Builds the index in OpenSearch: a new generation beside the current one, or the current one in place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException

from tribal.adapters.opensearch.bulk import BulkWriter
from tribal.adapters.opensearch.files import FileChange, FileWriter
from tribal.adapters.opensearch.generations import Generations, writing_alias
from tribal.adapters.opensearch.index import OpenSearchIndex
from tribal.adapters.opensearch.layout import LAYOUT
from tribal.adapters.opensearch.state import OtherVersion, graph_actions, state_action
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.ports import INDEX_VERSION, IndexCounts, IndexEntry
from tribal_contracts import IndexMetadata, KeyGraph


class OpenSearchIndexWriter(OpenSearchIndex):
    """The `IndexWriter` of OpenSearch, which can also be read.

    Args:
        client: client of the cluster.
        name: name of the index: lower case letters, digits and hyphens.
        in_place: whether any number of concurrent writers update the current generation file by file, instead of one
            writer updating a copy. Each file then becomes visible as soon as it is replaced.
        pause: sleeps between attempts after a transient failure.
    """

    def __init__(
        self,
        client: OpenSearch,
        name: str = "tribal-knowledge",
        *,
        in_place: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(client, name, pause=pause)
        self._in_place = in_place
        self._generations = Generations(client, name)
        self._bulk = BulkWriter(client, pause)
        self._begun: str | None = None
        self._held: set[str] = set()

    def held(self, model: str) -> dict[str, str]:
        """What `begin` would return; a partially written file has the content hash `""`."""
        generations, about = self._generations, _about(model)
        try:
            generation = generations.fitting(generations.next_name, about) or generations.fitting(self._name, about)
            if generation is None:
                return {}
            # Include what a killed writer left: nothing is refreshed automatically.
            self._client.indices.refresh(index=generation)
            return self._files_of(generation)
        except OpenSearchException as exc:
            raise IndexNotReady(
                f"the index {self._name!r} cannot be asked ({str(exc)[:300]}); try again, or look after the domain"
            ) from exc

    def begin(self, model: str, dimensions: int, *, afresh: bool = False) -> dict[str, str]:
        """Begin the next generation or resume an interrupted one; returns the hashes of the files already in it.

        A partially written file has the content hash `""`.
        """
        with self._writing():
            self._begun = self._generations.begin(_about(model), dimensions, afresh=afresh, in_place=self._in_place)
            self._refresh()
            held = self._files_of(self._begun)
        self._held = set(held)
        return held

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
        """Replace the records of changed files, visible all at once.

        In-place changes become visible at the end of the call, others when the generation is finished.
        """
        known = hashes or {}
        changes = [FileChange.of(path, (), None) for path in removed if path not in changed]
        changes += [FileChange.of(path, entries, known.get(path)) for path, entries in changed.items()]
        paths = {change.path for change in changes}
        # Every refresh leaves a segment to merge, and a sole writer needs none for files it writes for the first time.
        first = not self._in_place and self._held.isdisjoint(paths)
        self._held |= paths
        with self._writing():
            if not first:
                self._refresh()
            FileWriter(self._reader, self._bulk, writing_alias(self._generation())).write(changes, first=first)
            if self._in_place:
                self._refresh()
            self._require_begun()

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Atomically publish the generation with its key graph and metadata."""
        pieces = graph_actions(graph)
        with self._writing():
            generation = self._generation()
            self._require_begun()
            alias = writing_alias(generation)
            before = self._graph_of(generation)
            self._bulk.write(alias, pieces)
            self._bulk.write(alias, [state_action(metadata, pieces)])
            self._refresh()
            self._drop_graphs_but(generation, before, tuple(piece.document_id for piece in pieces))
            if self._in_place and self._generations.resolve(self._name) == generation:
                self._generations.sweep()
            else:
                self._generations.publish(generation)
            self._begun = None

    def is_intact(self) -> bool:
        """Whether the current generation is as it was published; OpenSearch checks its own files."""
        return True

    def abandon(self) -> None:
        """Remove the unfinished generation, unless it is one that others may be writing in place."""
        self._begun = None
        if not self._in_place:
            with self._writing():
                self._generations.abandon()

    def close(self) -> None:
        """Clear the caches and stop writing; the connections end with the process."""
        self._begun = None
        super().close()

    def _files_of(self, generation: str) -> dict[str, str]:
        pages = self._reader.pages(generation, {"term": {"kind": "file"}}, ("path", "content_hash"))
        files = (hit["fields"] for _, hits in pages for hit in hits)
        return dict(sorted((fields["path"][0], fields["content_hash"][0]) for fields in files))

    def _generation(self) -> str:
        if self._begun is None:
            raise IndexWriteFailed(f"nothing was begun in {self._name!r}; begin before writing")
        return self._begun

    def _require_begun(self) -> None:
        """Fail if nothing was begun: readers would never see the write."""
        aliases = (self._generations.next_name, *((self._name,) if self._in_place else ()))
        if self._generation() not in map(self._generations.resolve, aliases):
            raise IndexWriteFailed(f"what was begun in {self._name!r} was abandoned or replaced meanwhile; index again")

    def _graph_of(self, generation: str) -> Sequence[str]:
        try:
            state, _ = self._reader.look(generation)
        except OtherVersion:
            return ()
        return () if state is None else state.graph

    def _drop_graphs_but(self, generation: str, before: Sequence[str], after: Sequence[str]) -> None:
        """Remove the graph pieces that neither state refers to."""
        if not before or before == after:
            return
        kept = {"ids": {"values": sorted({*before, *after})}}
        query = {"bool": {"filter": {"term": {"kind": "graph"}}, "must_not": kept}}
        self._client.delete_by_query(index=generation, body={"query": query}, params={"conflicts": "proceed"})

    def _refresh(self) -> None:
        self._client.indices.refresh(index=self._generation())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OpenSearchException, IndexNotReady) as exc:
            raise IndexWriteFailed(
                f"the index {self._name!r} refused a write: {str(exc)[:300]}; see that the domain is well and that "
                "the role in use may write there, then index again"
            ) from exc


def _about(model: str) -> dict[str, str]:
    """Metadata that a generation must match to be continued or copied."""
    return {"version": INDEX_VERSION, "layout": LAYOUT, "model": model}
