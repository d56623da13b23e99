"""Reads the index in OpenSearch: BM25 over our own terms and vectors by Lucene; the final ranking happens elsewhere.

Every request also fetches the state of the index, so that an answer and the state belong to the same refresh. What a
reader caches (table names, keys) belongs to one such state.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from opensearchpy import OpenSearch

from tribal.adapters.local.reading_block import ReadingBlock
from tribal.adapters.opensearch import queries
from tribal.adapters.opensearch.multi_search import Reader
from tribal.adapters.opensearch.state import State, read_graph
from tribal.errors import IndexNotReady
from tribal.ports import (
    Candidates,
    IndexedTable,
    IndexFilter,
    VectorKind,
    VectorQuery,
    WordQuery,
)
from tribal.ports.index.reader import Part
from tribal_contracts import Contract, DocType, DocumentRecord, IndexMetadata, KeyGraph, TableCopy

_EVERYTHING = IndexFilter()
_IDS_AT_ONCE = 1_000
_TABLE_FIELDS = (
    "id",
    "database",
    "schema",
    "table",
    "domain",
    "database_type",
    "table_kind",
    "copy_kind",
    "copy_of",
    "is_junction",
    "partitions",
)


Parsed = TypeVar("Parsed")


class _Holder(Contract, Generic[Part]):
    """Of a record, a part of its table's document alone."""

    structured: Part | None = None


@dataclass(frozen=True)
class _Memory:
    """What a reader caches of one state."""

    state: State
    tables: tuple[IndexedTable, ...] | None = None


class OpenSearchIndex:
    """The `IndexReader` of OpenSearch; thread-safe, for any number of machines.

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
        self._client = client
        self._name = name
        self._reader = Reader(client, pause)
        self._block = ReadingBlock[State]()
        self._memory: _Memory | None = None
        self._graph: tuple[tuple[str, ...], KeyGraph] | None = None
        self._lock = threading.Lock()

    def reading(self) -> AbstractContextManager[None]:
        """Pin this thread to the generation of its first read within the block."""
        return self._block.enter()

    def generation(self) -> Hashable:
        """The name of the state being read."""
        return self._ask()[0].name

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no finished index of this version."""
        try:
            return self._ask()[0].metadata
        except IndexNotReady:
            return None

    def candidates(self, questions: Sequence[WordQuery | VectorQuery]) -> list[Candidates]:
        """Run several queries in one request, against one generation."""
        asked = [self._body(question) for question in questions]
        _, answers = self._ask(*(body for body in asked if body is not None))
        left = iter(answers)
        return [
            Candidates.of(()) if body is None else queries.candidates(question, next(left))
            for question, body in zip(questions, asked, strict=True)
        ]

    def term_counts(self, terms: Sequence[str], doc_type: DocType, where: IndexFilter) -> dict[str, int]:
        """The number of records that contain each term; terms found in none are left out."""
        wanted = queries.distinct_terms(terms)
        asked = [queries.term_counts(wanted, doc_type, where)] if wanted else []
        _, answers = self._ask(*asked)
        return queries.counted(wanted, answers[0]) if answers else {}

    def long_words(self) -> list[str]:
        """The long words of all tables, in order."""
        found: list[str] = []
        after: queries.Body | None = None
        with self.reading():
            while True:
                _, (answer,) = self._ask(queries.long_words(after))
                page = answer["aggregations"]["words"]
                found += [bucket["key"]["word"] for bucket in page["buckets"]]
                if len(page["buckets"]) < queries.PAGE:
                    return found
                after = page["after_key"]

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id, in the given order; unknown ids are left out."""
        return self._by_ids(ids, DocumentRecord.from_json)

    def documents(self, ids: Sequence[int], part: type[Part]) -> dict[int, Part]:
        """The documents of tables by id, or what `part` has of them; other ids are left out."""
        found: dict[int, _Holder[Part]] = self._by_ids(ids, _Holder[part].from_json)  # type: ignore[valid-type]
        parts = ((number, holder.structured) for number, holder in found.items())
        return {number: held for number, held in parts if held is not None}

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table, ordered by name."""
        state, _ = self._ask()
        tables = self._all_tables(state)
        return list(tables) if where == _EVERYTHING else _admitted(tables, where)

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, ordered by domain and database."""
        query = {"bool": {"filter": queries.filters(where, "domain")}}
        _, (found,) = self._ask({"query": query, "size": queries.PAGE, "_source": ["value"]})
        records = [DocumentRecord.from_json(hit["_source"]["value"]) for hit in found["hits"]["hits"]]
        return sorted(records, key=lambda record: (record.domain or "", record.database_name))

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; cached until the keys change."""
        state, _ = self._ask()
        known = self._graph
        if known is not None and known[0] == state.graph:
            return known[1]
        answers = self._reader.search(state.generation, *(queries.by_ids([name]) for name in state.graph))
        graph = read_graph([hit["_source"]["value"] for answer in answers for hit in answer["hits"]["hits"]])
        with self._lock:
            self._graph = (state.graph, graph)
        return graph

    def close(self) -> None:
        """Clear the caches; the connections end with the process."""
        with self._lock:
            self._memory = self._graph = None

    def _ask(self, *bodies: queries.Body) -> tuple[State, list[Any]]:
        kept = self._block.kept
        if kept is not None and not bodies:
            return kept, []
        found, answers = self._reader.ask(self._name if kept is None else kept.generation, *bodies)
        state = self._block.pin(found)
        with self._lock:
            if self._memory is None or self._memory.state.name != state.name:
                self._memory = _Memory(state)
        return state, answers

    def _by_ids(self, ids: Sequence[int], parse: Callable[[str], Parsed]) -> dict[int, Parsed]:
        """What is kept under these ids, parsed; in the given order."""
        wanted = [str(number) for number in dict.fromkeys(ids)]
        batches = [wanted[start : start + _IDS_AT_ONCE] for start in range(0, len(wanted), _IDS_AT_ONCE)]
        _, answers = self._ask(*map(queries.by_ids, batches))
        hits = [hit for answer in answers for hit in answer["hits"]["hits"]]
        found = {int(hit["_id"]): parse(hit["_source"]["value"]) for hit in hits}
        return {number: found[number] for number in ids if number in found}

    def _body(self, question: WordQuery | VectorQuery) -> queries.Body | None:
        if question.limit <= 0:
            return None
        if isinstance(question, WordQuery):
            return queries.lexical(question.terms, question.doc_type, question.where, question.limit)
        memory = self._memory
        state = self._block.kept or (self._ask()[0] if memory is None else memory.state)
        if len(question.vector) != state.metadata.embedding_dimensions:
            return None
        exact = self._is_exact(question.kind, question.where, state)
        return queries.nearest(question.vector, question.kind, question.where, question.limit, exact)

    def _is_exact(self, kind: VectorKind, where: IndexFilter, state: State) -> bool:
        vectors = state.metadata.embedding_count
        if vectors <= queries.EXACT_VECTORS:
            return True
        tables = self._all_tables(state)
        admitted = len(tables) if where == _EVERYTHING else len(_admitted(tables, where))
        likely = admitted if kind in ("table", "table_name") else vectors * admitted / max(len(tables), 1)
        return likely <= queries.EXACT_VECTORS

    def _all_tables(self, state: State) -> tuple[IndexedTable, ...]:
        memory = self._memory
        if memory is not None and memory.state.name == state.name and memory.tables is not None:
            return memory.tables
        hits = self._reader.hits(state.generation, {"term": {"doc_type": "table"}}, _TABLE_FIELDS)
        tables = tuple(sorted(map(_table, hits), key=_name_of))
        with self._lock:
            self._memory = _Memory(state, tables)
        return tables


def _admitted(tables: Sequence[IndexedTable], where: IndexFilter) -> list[IndexedTable]:
    return [
        entry
        for entry in tables
        if where.scope.allows(entry.database, entry.schema)
        and where.database in (None, entry.database)
        and where.domain in (None, entry.domain)
    ]


def _table(hit: Mapping[str, Any]) -> IndexedTable:
    values = hit["fields"]
    return IndexedTable(
        record_id=values["id"][0],
        database=values["database"][0],
        schema=values["schema"][0],
        table=values["table"][0],
        domain=values["domain"][0] if "domain" in values else "",
        database_type=values["database_type"][0] if "database_type" in values else "postgres",
        kind=values["table_kind"][0] if "table_kind" in values else "table",
        copy_of=TableCopy(kind=values["copy_kind"][0], of=values["copy_of"][0]) if "copy_of" in values else None,
        is_junction="is_junction" in values and bool(values["is_junction"][0]),
        partitions=tuple(values.get("partitions", ())),
    )


def _name_of(entry: IndexedTable) -> tuple[str, str, str]:
    return entry.database, entry.schema, entry.table
