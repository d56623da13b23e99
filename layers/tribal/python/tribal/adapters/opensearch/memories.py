"""The index of memories in OpenSearch, updated one by one and searchable at once.

The memories are objects of the store; the index can be deleted and rebuilt. Every search names its spaces, which limit
hits and totals. A change is visible to everyone's next search, because each write waits for its refresh. There is a
single shard, so that term statistics do not depend on where a memory is stored.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConnectionTimeout, NotFoundError, OpenSearchException, RequestError, TransportError

from tribal.adapters.opensearch import queries
from tribal.adapters.opensearch.bulk import line
from tribal.adapters.opensearch.layout import KEPT, KEYWORD, VECTOR_SPACE, encode_term, written_vector
from tribal.adapters.opensearch.queries import Body
from tribal.errors import MemoryConflict, MemoryStoreFailed, MemoryTimedOut
from tribal.identity.hashing import object_hash
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory
from tribal.ports.remembering.selection import MemorySelection, places_of
from tribal_contracts.memory import MemoryRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEMORIES = "tribal-memories"
"""The alias of the index, and the prefix of its name; roles refer to it too."""
LAYOUT = "2"
PAGE = 1_000
_VALUES_A_CLAUSE = 1_000
_READ = ["memory_id", "space", "value", "words", "half"]


class OpenSearchMemories:
    """The `MemoryIndex` of OpenSearch, made when it is first written; thread-safe, for any number of machines.

    Args:
        client: client of the cluster.
        dimensions: of the vectors.
        name: name of the index.
    """

    def __init__(self, client: OpenSearch, dimensions: int, name: str = MEMORIES) -> None:
        self._client = client
        self._dimensions = dimensions
        self._name = name

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others; missing ones are ignored."""
        lines: list[bytes] = []
        for memory in memories:
            lines += [line({"index": {"_id": _id(memory.space, memory.record.memory_id)}}), line(_document(memory))]
        lines += [line({"delete": {"_id": _id(space, name)}}) for space, name in removed]
        if not lines:
            return
        with _translate_errors():
            try:
                answer = self._bulk(lines)
            except NotFoundError:
                self._make()
                answer = self._bulk(lines)
        refused = [item for each in answer["items"] for item in each.values() if item["status"] not in (200, 201, 404)]
        if refused:
            reason = str(refused[0].get("error", {}).get("reason", refused[0]["status"]))[:200]
            raise MemoryStoreFailed(f"the index of memories refused {len(refused)} change(s): {reason}; try again")

    def by_words(self, wanted: MemorySelection, terms: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that share a term, by BM25 over all spaces."""
        asked = queries.distinct_terms(terms)
        if not asked:
            return []
        clauses = [{"term": {"terms": encode_term(term)}} for term in asked]
        query = {"bool": {"filter": _within(wanted), "should": clauses, "minimum_should_match": 1}}
        return self._found(wanted, query, limit, lambda score: score * queries.LUCENE_SCALE)

    def by_vector(self, wanted: MemorySelection, vector: NDArray[Any], limit: int) -> list[FoundMemory]:
        """Memories by cosine; every one that the search may look at is compared."""
        length = float(np.linalg.norm(vector))
        values = written_vector(np.asarray(vector) / length) if length else None
        if values is None:
            return []
        chosen = {"bool": {"filter": [*_within(wanted), {"exists": {"field": "vector"}}]}}
        return self._found(wanted, queries.compare_all(values, "vector", chosen), limit, _cosine)

    def about_tables(self, wanted: MemorySelection, tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables."""
        query = {"bool": {"filter": [*_within(wanted), {"terms": {"tables": list(tables)}}]}}
        return self._found(wanted, query, limit, lambda _: 0.0)

    def of_spaces(self, wanted: MemorySelection, memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids, ordered by id."""
        clauses = [*_within(wanted), *([] if memory_ids is None else [{"terms": {"memory_id": list(memory_ids)}}])]
        named = {space.name: space for space in wanted.spaces}
        after: list[Any] | None = None
        while wanted.spaces:
            body: Body = {
                "query": {"bool": {"filter": clauses}},
                "size": PAGE,
                "sort": ["memory_id", "space"],
                "_source": _READ,
            }
            hits = self._hits(body if after is None else {**body, "search_after": after})
            yield from (_parsed(hit, named, 0.0) for hit in hits)
            if len(hits) < PAGE:
                return
            after = hits[-1]["sort"]

    def count(self, wanted: MemorySelection) -> int:
        """How many memories there are."""
        if not wanted.spaces:
            return 0
        with _translate_errors():
            try:
                query = {"bool": {"filter": _within(wanted)}}
                return int(self._client.count(index=self._name, body={"query": query})["count"])
            except NotFoundError:
                return 0

    def is_empty(self) -> bool:
        """Whether there is no index, or nothing in it."""
        return not self._hits({"query": {"match_all": {}}, "size": 1, "_source": ["space"]})

    def close(self) -> None:
        """The connections end with the process."""

    def _found(
        self, wanted: MemorySelection, query: Body, limit: int, score_of: Callable[[float], float]
    ) -> list[FoundMemory]:
        if not wanted.spaces or limit <= 0:
            return []
        named = {space.name: space for space in wanted.spaces}
        hits = self._hits({"query": query, "size": limit, "_source": _READ})
        found = [_parsed(hit, named, score_of(float(hit["_score"] or 0.0))) for hit in hits]
        return sorted(found, key=lambda each: (-each.score, each.record.memory_id))

    def _hits(self, body: Body) -> list[Any]:
        # Use `_msearch`, the only request that a read-only role may send.
        head = line({"index": self._name, "allow_partial_search_results": False})
        with _translate_errors():
            (answer,) = self._client.msearch(body=head + line({**body, "track_total_hits": False}))["responses"]
        if "error" not in answer:
            hits: list[Any] = answer["hits"]["hits"]
            return hits
        if answer["error"].get("type") == "index_not_found_exception":
            return []
        raise MemoryStoreFailed(f"the index of memories cannot be searched: {str(answer['error'].get('reason'))[:200]}")

    def _bulk(self, lines: Sequence[bytes]) -> Any:
        # Writing never creates the index, which would guess its mappings: a missing index is reported per item.
        answer = self._client.bulk(
            body=b"".join(lines), index=self._name, params={"refresh": "true", "require_alias": "true"}
        )
        missing = "index_not_found_exception"
        if any(item.get("error", {}).get("type") == missing for each in answer["items"] for item in each.values()):
            raise NotFoundError(404, missing, {})
        return answer

    def _make(self) -> None:
        about = {"layout": LAYOUT, "dimensions": str(self._dimensions)}
        body = _index_body(self._dimensions, about, self._name)
        try:
            self._client.indices.create(index=f"{self._name}-{LAYOUT}-{self._dimensions}", body=body)
        except RequestError as error:
            # Another process created it at the same time.
            if error.error != "resource_already_exists_exception":
                raise


def _document(memory: IndexedMemory) -> Body:
    vector = None if memory.vector is None else written_vector(memory.vector)
    record = memory.record
    body: Body = {
        "memory_id": record.memory_id,
        "space": memory.space.name,
        "terms": " ".join(map(encode_term, memory.terms)),
        "tags": [tag.casefold() for tag in record.tags],
        "tables": list(memory.tables),
        "places": list(places_of(memory.tables)),
        "used": round(datetime.fromisoformat(record.used_at).timestamp() * 1_000),
        "value": record.to_compact_json().decode(),
        "words": json.dumps(list(memory.terms), ensure_ascii=False),
    }
    if vector is None or memory.vector is None:
        return body
    return {**body, "vector": vector, "half": base64.b64encode(memory.vector.astype(np.float16).tobytes()).decode()}


def _index_body(dimensions: int, about: Mapping[str, str], alias: str) -> Body:
    return {
        "settings": {
            "index": {
                "knn": True,
                "number_of_shards": 1,
                "number_of_replicas": 0,
                "auto_expand_replicas": "0-1",
                # Every write refreshes what it changed.
                "refresh_interval": "-1",
                "search.slowlog.threshold.query.warn": "2s",
                "search.slowlog.threshold.fetch.warn": "1s",
                "indexing.slowlog.threshold.index.warn": "5s",
            }
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": dict(about),
            "properties": {
                "memory_id": KEYWORD,
                "space": KEYWORD,
                "terms": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
                "tags": KEYWORD,
                "tables": KEYWORD,
                "places": KEYWORD,
                "used": {"type": "long"},
                "value": KEPT,
                "words": KEPT,
                "half": KEPT,
                "vector": {
                    "type": "knn_vector",
                    "dimension": dimensions,
                    "method": {"name": "hnsw", "engine": "lucene", "space_type": VECTOR_SPACE},
                },
            },
        },
        "aliases": {alias: {}},
    }


def _id(space: Space, memory_id: str) -> str:
    return object_hash([space.name, memory_id])


def _within(wanted: MemorySelection) -> list[Body]:
    """The filter of a search, as clauses that must all match."""
    ending = [space for space in wanted.spaces if wanted.limits_use(space)]
    lasting = [space for space in wanted.spaces if not wanted.limits_use(space)]
    used = {"range": {"used": {"gt": wanted.used_after * 1_000}}}
    spaces = [*_named(lasting), *({"bool": {"filter": [clause, used]}} for clause in _named(ending))]
    clauses = [queries.any_of(spaces)]
    if wanted.places is not None:
        nowhere = {"bool": {"must_not": {"exists": {"field": "places"}}}}
        clauses.append(queries.any_of([nowhere, *_among("places", sorted(wanted.places))]))
    if wanted.tags:
        clauses.append({"terms": {"tags": sorted(wanted.folded_tags)}})
    return clauses


def _named(spaces: Sequence[Space]) -> list[Body]:
    return _among("space", [space.name for space in spaces])


def _among(field: str, values: Sequence[str]) -> list[Body]:
    batches = (values[start : start + _VALUES_A_CLAUSE] for start in range(0, len(values), _VALUES_A_CLAUSE))
    return [{"terms": {field: list(batch)}} for batch in batches]


def _parsed(hit: Mapping[str, Any], named: Mapping[str, Space], score: float) -> FoundMemory:
    source = hit["_source"]
    half = source.get("half")
    vector = None if half is None else np.frombuffer(base64.b64decode(half), dtype=np.float16).astype(np.float32)
    record = MemoryRecord.from_json(source["value"])
    return FoundMemory(named[source["space"]], record, score, json.loads(source["words"]), vector)


def _cosine(score: float) -> float:
    return float(queries.cosines(np.array(score)))


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Translate errors of the client into our own, without the text of requests."""
    try:
        yield
    except NotFoundError:
        raise
    except ConnectionTimeout as error:
        raise MemoryTimedOut("the index of memories took too long; try again") from error
    except TransportError as error:
        if error.status_code == 409:
            raise MemoryConflict("another process changed the memory at the same time; try again") from error
        raise MemoryStoreFailed(f"the index of memories did not respond ({error.status_code}); try again") from error
    except OpenSearchException as error:
        raise MemoryStoreFailed("the index of memories did not respond; try again") from error
