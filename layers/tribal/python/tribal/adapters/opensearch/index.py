"""The search index in OpenSearch: our own terms weighed by BM25, vectors by Lucene, ranking left to our own rooms.

Every reading request carries a look at the state of the index, so that an answer and what it is judged by are of the
same refresh. What a reader keeps in memory (table names, keys) belongs to one such state.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException

from tribal.adapters.generations.reading_block import ReadingBlock
from tribal.adapters.opensearch import queries
from tribal.adapters.opensearch.bulk import BulkWriter
from tribal.adapters.opensearch.files import FileChange, FileWriter
from tribal.adapters.opensearch.generations import Generations, writing_alias
from tribal.adapters.opensearch.layout import LAYOUT
from tribal.adapters.opensearch.reading import Reader
from tribal.adapters.opensearch.state import OtherVersion, State, graph_actions, read_graph, state_action
from tribal.catalog.scope import Scope
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.ports import (
    INDEX_VERSION,
    ByVector,
    ByWords,
    Candidates,
    IndexCounts,
    IndexEntry,
    IndexFilter,
    TableEntry,
    VectorKind,
)
from tribal_contracts import DocType, DocumentRecord, IndexMetadata, KeyGraph

DIMENSIONS = 256
"""Length of a vector, which an index keeps for good."""

_EVERYTHING = IndexFilter()
_IDS_AT_ONCE = 1_000
_SCAN_ATTEMPTS = 5
_TABLE_FIELDS = ("id", "database", "schema", "table", "domain", "database_type")


@dataclass(frozen=True)
class _Memory:
    """What a reader keeps of one state."""

    state: State
    tables: tuple[TableEntry, ...] | None = None


class OpenSearchIndex:
    """An index of a cluster; safe to share between threads, and read by any number of machines.

    Args:
        client: of the cluster.
        name: of the index: lower case letters, digits and hyphens.
        dimensions: length of a vector.
        in_place: whether the present generation itself is brought up to date, file by file, by any number of writers
            side by side, instead of a copy of it by one writer. Each file is then seen as soon as it is replaced.
        pause: waits between two attempts at something that failed for now.
    """

    def __init__(
        self,
        client: OpenSearch,
        name: str = "tribal-knowledge",
        *,
        dimensions: int = DIMENSIONS,
        in_place: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._name = name
        self._in_place = in_place
        self._generations = Generations(client, name, dimensions)
        self._reader = Reader(client, pause)
        self._writer = BulkWriter(client, pause)
        self._begun: str | None = None
        self._held: set[str] = set()
        self._block = ReadingBlock[State]()
        self._memory: _Memory | None = None
        self._graph: tuple[tuple[str, ...], KeyGraph] | None = None
        self._lock = threading.Lock()

    def reading(self) -> AbstractContextManager[None]:
        """Within the block, this thread reads one generation: that of its first read."""
        return self._block.enter()

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no finished index of this version."""
        try:
            return self._ask()[0].metadata
        except IndexNotReady:
            return None

    def candidates(self, questions: Sequence[ByWords | ByVector]) -> list[Candidates]:
        """The answers to several questions in one request, all of one generation."""
        asked = [self._body(question) for question in questions]
        _, answers = self._ask(*(body for body in asked if body is not None))
        left = iter(answers)
        return [
            Candidates.of(()) if body is None else queries.candidates(question, next(left))
            for question, body in zip(questions, asked, strict=True)
        ]

    def term_counts(self, terms: Sequence[str], doc_type: DocType, scope: Scope) -> dict[str, int]:
        """How many records hold each term; a term that none holds is left out."""
        wanted = queries.distinct_terms(terms)
        asked = [queries.term_counts(wanted, doc_type, IndexFilter(scope=scope))] if wanted else []
        _, answers = self._ask(*asked)
        counted = answers[0]["aggregations"]["terms"]["buckets"] if answers else {}
        found = {wanted[int(number)]: bucket["doc_count"] for number, bucket in counted.items()}
        return {term: found[term] for term in wanted if found.get(term)}

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id, in the order asked for; an unknown id is left out."""
        wanted = [str(number) for number in dict.fromkeys(ids)]
        batches = [wanted[start : start + _IDS_AT_ONCE] for start in range(0, len(wanted), _IDS_AT_ONCE)]
        _, answers = self._ask(*map(queries.by_ids, batches))
        hits = [hit for answer in answers for hit in answer["hits"]["hits"]]
        found = {int(hit["_id"]): DocumentRecord.from_json(hit["_source"]["value"]) for hit in hits}
        return {number: found[number] for number in ids if number in found}

    def tables(self, where: IndexFilter) -> list[TableEntry]:
        """Every table, in order of its name."""
        state, _ = self._ask()
        tables = self._all_tables(state)
        return list(tables) if where == _EVERYTHING else _admitted(tables, where)

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, in order of domain and database."""
        query = {"bool": {"filter": queries.filters(where, "domain")}}
        _, (found,) = self._ask({"query": query, "size": queries.PAGE, "_source": ["value"]})
        records = [DocumentRecord.from_json(hit["_source"]["value"]) for hit in found["hits"]["hits"]]
        return sorted(records, key=lambda record: (record.domain or "", record.database_name))

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; the same object as long as the keys do not change."""
        for _ in range(_SCAN_ATTEMPTS):
            state, _ = self._ask()
            known = self._graph
            if known is not None and known[0] == state.graph:
                return known[1]
            found = self._values(state.graph)
            if len(found) == len(state.graph):
                graph = read_graph([found[name] for name in state.graph])
                with self._lock:
                    self._graph = (state.graph, graph)
                return graph
        raise IndexNotReady(f"the keys of the index {self._name!r} change faster than they are read; ask again")

    def begin(self, model: str, *, afresh: bool = False) -> dict[str, str]:
        """Begin the next generation, or carry on the one that an interrupted run left; returns what it holds already.

        A file that was not written to its end has the content hash `""`.
        """
        about = {"version": INDEX_VERSION, "layout": LAYOUT, "model": model}
        with self._writing():
            self._begun = self._generations.begin(about, afresh=afresh, in_place=self._in_place)
            self._refresh()
            pages = list(self._reader.pages(self._begun, {"term": {"kind": "file"}}, ("path", "content_hash")))
        files = (hit["fields"] for _, hits in pages for hit in hits)
        held = dict(sorted((fields["path"][0], fields["content_hash"][0]) for fields in files))
        self._held = set(held)
        return held

    def counts(self) -> IndexCounts:
        """How much the generation that was begun holds."""
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
        """Put the records of changed files in place of what those files had; seen all at once.

        In place it is seen at the end, else when the generation is finished.
        """
        known = hashes or {}
        changes = [FileChange.of(path, (), None) for path in removed if path not in changed]
        changes += [FileChange.of(path, entries, known.get(path)) for path, entries in changed.items()]
        paths = {change.path for change in changes}
        # Each refresh leaves a segment to merge: alone, a writer needs none for files that it meets for the first time.
        first = not self._in_place and self._held.isdisjoint(paths)
        self._held |= paths
        with self._writing():
            if not first:
                self._refresh()
            FileWriter(self._reader, self._writer, writing_alias(self._generation())).write(changes, first=first)
            if self._in_place:
                self._refresh()
            self._require_begun()

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Publish the generation that was begun with its key graph and metadata, at once."""
        pieces = graph_actions(graph)
        with self._writing():
            generation = self._generation()
            self._require_begun()
            alias = writing_alias(generation)
            before = self._graph_of(generation)
            self._writer.write(alias, pieces)
            self._writer.write(alias, [state_action(metadata, pieces)])
            self._refresh()
            self._drop_graphs_but(generation, before, tuple(piece.document_id for piece in pieces))
            if self._in_place and self._generations.behind(self._name) == generation:
                self._generations.sweep()
            else:
                self._generations.publish(generation)
            self._begun = None

    def abandon(self) -> None:
        """Remove the generation that was begun; what others may be writing in place is left alone."""
        self._begun = None
        if not self._in_place:
            with self._writing():
                self._generations.abandon()

    def close(self) -> None:
        """Let go of what is kept in memory and of what was begun; the connections end with the process."""
        self._begun = None
        with self._lock:
            self._memory = self._graph = None

    def _ask(self, *bodies: queries.Body) -> tuple[State, list[Any]]:
        kept = self._block.kept
        if kept is not None and not bodies:
            return kept, []
        found, answers = self._reader.ask(self._name if kept is None else kept.generation, *bodies)
        state = self._block.keep(found)
        with self._lock:
            if self._memory is None or self._memory.state.name != state.name:
                self._memory = _Memory(state)
        return state, answers

    def _body(self, question: ByWords | ByVector) -> queries.Body | None:
        if question.limit <= 0:
            return None
        if isinstance(question, ByWords):
            return queries.lexical(question.terms, question.doc_type, question.where, question.limit)
        exact = self._is_exact(question.kind, question.where)
        return queries.nearest(question.vector, question.kind, question.where, question.limit, exact)

    def _is_exact(self, kind: VectorKind, where: IndexFilter) -> bool:
        memory = self._memory
        state = self._ask()[0] if memory is None else memory.state
        vectors = state.metadata.embedding_count
        if vectors <= queries.EXACT_VECTORS:
            return True
        tables = self._all_tables(state)
        admitted = len(tables) if where == _EVERYTHING else len(_admitted(tables, where))
        likely = admitted if kind in ("table", "table_name") else vectors * admitted / max(len(tables), 1)
        return likely <= queries.EXACT_VECTORS

    def _all_tables(self, state: State) -> tuple[TableEntry, ...]:
        memory = self._memory
        if memory is not None and memory.state.name == state.name and memory.tables is not None:
            return memory.tables
        for _ in range(_SCAN_ATTEMPTS):
            pages = list(self._reader.pages(state.generation, {"term": {"doc_type": "table"}}, _TABLE_FIELDS))
            names = {name for name, _ in pages}
            if len(names) > 1:
                continue
            tables = tuple(sorted((_table(hit) for _, hits in pages for hit in hits), key=_name_of))
            # Writers in place may have gone on since the state was seen; their tables are whole all the same.
            if names == {state.name}:
                with self._lock:
                    self._memory = _Memory(state, tables)
            return tables
        raise IndexNotReady(f"the index {self._name!r} changes faster than it is read; ask again")

    def _values(self, ids: Sequence[str]) -> dict[str, str]:
        _, answers = self._ask(*(queries.by_ids([name]) for name in ids))
        hits = [hit for answer in answers for hit in answer["hits"]["hits"]]
        return {hit["_id"]: hit["_source"]["value"] for hit in hits}

    def _generation(self) -> str:
        if self._begun is None:
            raise IndexWriteFailed(f"nothing was begun in {self._name!r}; begin before writing")
        return self._begun

    def _require_begun(self) -> None:
        """A write that readers will never see is no success."""
        aliases = (self._generations.next_name, *((self._name,) if self._in_place else ()))
        if self._generation() not in map(self._generations.behind, aliases):
            raise IndexWriteFailed(f"what was begun in {self._name!r} was abandoned or replaced meanwhile; index again")

    def _graph_of(self, generation: str) -> Sequence[str]:
        try:
            state, _ = self._reader.look(generation)
        except OtherVersion:
            return ()
        return () if state is None else state.graph

    def _drop_graphs_but(self, generation: str, before: Sequence[str], after: Sequence[str]) -> None:
        """Remove what readers of neither state look for."""
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


def _admitted(tables: Sequence[TableEntry], where: IndexFilter) -> list[TableEntry]:
    return [
        entry
        for entry in tables
        if where.scope.allows(entry.database, entry.schema)
        and where.database in (None, entry.database)
        and where.domain in (None, entry.domain)
    ]


def _table(hit: Mapping[str, Any]) -> TableEntry:
    values = hit["fields"]
    return TableEntry(
        record_id=values["id"][0],
        database=values["database"][0],
        schema=values["schema"][0],
        table=values["table"][0],
        domain=values["domain"][0] if "domain" in values else "",
        database_type=values["database_type"][0] if "database_type" in values else "postgres",
    )


def _name_of(entry: TableEntry) -> tuple[str, str, str]:
    return entry.database, entry.schema, entry.table
