"""The one index of memories in OpenSearch: changed one by one, and searched at once.

The memories are objects of the store; the index finds them, and can be thrown away and built anew. Every search names
the spaces that it may look into, which bound hits and totals alike. A change is visible to the next search of anybody:
each write waits for its refresh. There is a single shard, so that term statistics do not depend on where a memory lies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConnectionTimeout, NotFoundError, OpenSearchException, RequestError, TransportError

from tribal.adapters.opensearch.layout import VECTOR_SCALE, VECTOR_SPACE, encode_term, written_vector
from tribal.catalog.hashing import object_hash
from tribal.errors import MemoryConflict, MemoryStoreFailed, MemoryTimedOut

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEMORIES = "tribal-memories"
"""The alias of the index, and how its name begins; roles name it, too."""
LAYOUT = "1"
MAX_TERMS = 64
"""Terms used from one query."""
PAGE = 1_000
_LUCENE_SCALE = 2.2
"""The factor k1 + 1 of BM25, which Lucene leaves out."""
_KEYWORD = {"type": "keyword"}
_KEPT = {"type": "keyword", "index": False, "doc_values": False}
_SPACES_A_CLAUSE = 1_000

Body = dict[str, Any]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """What is indexed of a memory."""

    memory_id: str
    space: str
    """A name of its space that no other space has."""
    terms: Sequence[str]
    vector: NDArray[Any] | None
    tags: Sequence[str]
    """As they are compared: case-folded."""
    tables: Sequence[str]
    """The names of tables that it is about."""
    value: str
    """The memory as JSON, returned as it is."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that a search found."""

    memory_id: str
    space: str
    score: float
    """BM25 of a search by words, the cosine of one by a vector."""
    value: str


class OpenSearchMemories:
    """Writes and searches the index, which it makes when it is first written; thread-safe, for any number of machines.

    Args:
        client: client of the cluster.
        dimensions: of the vectors.
        name: name of the index.
    """

    def __init__(self, client: OpenSearch, dimensions: int, name: str = MEMORIES) -> None:
        self._client = client
        self._dimensions = dimensions
        self._name = name

    def write(self, documents: Iterable[MemoryDocument], removed: Iterable[tuple[str, str]] = ()) -> None:
        """Add, replace and remove memories; removing what is not there is done already.

        Args:
            documents: what to add or replace.
            removed: space and id of what to remove.

        Raises:
            MemoryRefused: a kind of it, when the domain does not answer or refuses.
        """
        lines: list[bytes] = []
        for document in documents:
            lines += [_line({"index": {"_id": _id(document.space, document.memory_id)}}), _line(self._body(document))]
        lines += [_line({"delete": {"_id": _id(space, name)}}) for space, name in removed]
        if not lines:
            return
        with _told():
            try:
                answer = self._bulk(lines)
            except NotFoundError:
                self._make()
                answer = self._bulk(lines)
        refused = [item for each in answer["items"] for item in each.values() if item["status"] not in (200, 201, 404)]
        if refused:
            reason = str(refused[0].get("error", {}).get("reason", refused[0]["status"]))[:200]
            raise MemoryStoreFailed(f"the index of memories refused {len(refused)} change(s): {reason}; try again")

    def by_words(self, spaces: Sequence[str], terms: Sequence[str], limit: int) -> list[Found]:
        """Memories of these spaces that share a term, the best first."""
        wanted = [term for term in dict.fromkeys(terms) if term][:MAX_TERMS]
        if not wanted:
            return []
        clauses = [{"term": {"terms": encode_term(term)}} for term in wanted]
        query = {"bool": {"filter": _within(spaces), "should": clauses, "minimum_should_match": 1}}
        return self._found(spaces, query, limit, lambda score: score * _LUCENE_SCALE)

    def by_vector(self, spaces: Sequence[str], vector: NDArray[Any], limit: int) -> list[Found]:
        """Memories of these spaces by cosine, the nearest first; every one of them is compared."""
        values = written_vector(vector)
        if values is None:
            return []
        chosen = {"bool": {"filter": [_within(spaces), {"exists": {"field": "vector"}}]}}
        script = {
            "source": "knn_score",
            "lang": "knn",
            "params": {"field": "vector", "query_value": values, "space_type": VECTOR_SPACE},
        }
        return self._found(spaces, {"script_score": {"query": chosen, "script": script}}, limit, _cosine)

    def about_tables(self, spaces: Sequence[str], tables: Sequence[str], limit: int) -> list[Found]:
        """Memories of these spaces that are about one of the tables, in no order."""
        query = {"bool": {"filter": [_within(spaces), {"terms": {"tables": list(tables)}}]}}
        return self._found(spaces, query, limit, lambda score: score)

    def of_spaces(self, spaces: Sequence[str], memory_ids: Sequence[str] | None = None) -> Iterator[Found]:
        """All memories of these spaces, or those of these ids, ordered by id."""
        clauses = [_within(spaces), *([] if memory_ids is None else [{"terms": {"memory_id": list(memory_ids)}}])]
        after: list[Any] | None = None
        while spaces:
            body: Body = {
                "query": {"bool": {"filter": clauses}},
                "size": PAGE,
                "sort": ["memory_id", "space"],
                "_source": ["memory_id", "space", "value"],
            }
            hits = self._hits(body if after is None else {**body, "search_after": after})
            yield from (_parsed(hit, 0.0) for hit in hits)
            if len(hits) < PAGE:
                return
            after = hits[-1]["sort"]

    def count(self, space: str) -> int:
        """How many memories a space has."""
        with _told():
            try:
                return int(self._client.count(index=self._name, body={"query": _within([space])})["count"])
            except NotFoundError:
                return 0

    def clear(self) -> None:
        """Throw the index away; the next write makes it anew."""
        with _told(), suppress(NotFoundError):
            # The index behind the alias: its name tells layout and dimensions, and may be another than ours.
            for index in self._client.indices.get_alias(index=self._name):
                self._client.indices.delete(index=index)

    def _found(self, spaces: Sequence[str], query: Body, limit: int, score_of: Callable[[float], float]) -> list[Found]:
        if not spaces or limit <= 0:
            return []
        hits = self._hits({"query": query, "size": limit, "_source": ["memory_id", "space", "value"]})
        found = [_parsed(hit, score_of(float(hit["_score"] or 0.0))) for hit in hits]
        return sorted(found, key=lambda each: (-each.score, each.memory_id, each.space))

    def _hits(self, body: Body) -> list[Any]:
        # Asked through `_msearch`, the one thing that a role which only reads may do.
        head = _line({"index": self._name, "allow_partial_search_results": False})
        with _told():
            (answer,) = self._client.msearch(body=head + _line({**body, "track_total_hits": False}))["responses"]
        if "error" not in answer:
            hits: list[Any] = answer["hits"]["hits"]
            return hits
        if answer["error"].get("type") == "index_not_found_exception":
            return []
        raise MemoryStoreFailed(f"the index of memories cannot be asked: {str(answer['error'].get('reason'))[:200]}")

    def _bulk(self, lines: Sequence[bytes]) -> Any:
        # An index is never made by writing, which would guess its mappings: a missing one is told item by item.
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
            # Somebody else made it at the same time.
            if error.error != "resource_already_exists_exception":
                raise

    def _body(self, document: MemoryDocument) -> Body:
        vector = None if document.vector is None else written_vector(document.vector)
        body: Body = {
            "memory_id": document.memory_id,
            "space": document.space,
            "terms": " ".join(map(encode_term, document.terms)),
            "tags": list(document.tags),
            "tables": list(document.tables),
            "value": document.value,
        }
        return body if vector is None else {**body, "vector": vector}


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
                "memory_id": _KEYWORD,
                "space": _KEYWORD,
                "terms": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
                "tags": _KEYWORD,
                "tables": _KEYWORD,
                "value": _KEPT,
                "vector": {
                    "type": "knn_vector",
                    "dimension": dimensions,
                    "method": {"name": "hnsw", "engine": "lucene", "space_type": VECTOR_SPACE},
                },
            },
        },
        "aliases": {alias: {}},
    }


def _id(space: str, memory_id: str) -> str:
    return object_hash([space, memory_id])


def _within(spaces: Sequence[str]) -> Body:
    batches = [list(spaces[start : start + _SPACES_A_CLAUSE]) for start in range(0, len(spaces), _SPACES_A_CLAUSE)]
    return {"bool": {"should": [{"terms": {"space": batch}} for batch in batches], "minimum_should_match": 1}}


def _parsed(hit: Mapping[str, Any], score: float) -> Found:
    source = hit["_source"]
    return Found(source["memory_id"], source["space"], score, source["value"])


def _cosine(score: float) -> float:
    """Convert Lucene's non-negative score to a cosine: 1 + product, or 1 / (1 - product) for a negative product."""
    product = score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score
    return max(-1.0, min(1.0, product / VECTOR_SCALE**2))


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


@contextmanager
def _told() -> Iterator[None]:
    """Tells what the client raises in our own words; what a request said is in none of them."""
    try:
        yield
    except NotFoundError:
        raise
    except ConnectionTimeout as error:
        raise MemoryTimedOut("the index of memories took too long; try again") from error
    except TransportError as error:
        if error.status_code == 409:
            raise MemoryConflict("somebody else changed the memory at the same time; try again") from error
        raise MemoryStoreFailed(f"the index of memories did not answer ({error.status_code}); try again") from error
    except OpenSearchException as error:
        raise MemoryStoreFailed("the index of memories did not answer; try again") from error
