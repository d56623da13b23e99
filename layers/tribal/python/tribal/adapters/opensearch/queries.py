"""Builds OpenSearch queries and parses their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.adapters.opensearch.answers import RankedHits
from tribal.adapters.opensearch.layout import (
    VECTOR_SCALE,
    VECTOR_SPACE,
    doc_type_of,
    encode_term,
    place_of,
    terms_field,
    vector_field,
    written_vector,
)
from tribal.ports import ByVector, ByWords, Candidates, IndexFilter, VectorKind
from tribal_contracts import DocType

if TYPE_CHECKING:
    from numpy.typing import NDArray

Body = dict[str, Any]

MAX_TERMS = 64
"""Maximum number of terms used from one query."""
PAGE = 10_000
"""Documents per page, the most that OpenSearch returns at once."""
EXACT_VECTORS = 10_000
"""Up to this many candidate vectors are compared exactly; beyond, approximate search (HNSW) is used."""

_WALKED = 500
"""Maximum neighbours of an approximate search, whose cost grows with them."""
_SCORE_DIGITS = 6
_LUCENE_SCALE = 2.2
"""The factor k1 + 1 of BM25, which Lucene leaves out."""
_NO_ID = 1 << 53


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """The distinct non-empty terms of a query, at most `MAX_TERMS`."""
    return [term for term in dict.fromkeys(terms) if term][:MAX_TERMS]


def filters(where: IndexFilter, doc_type: DocType) -> list[Body]:
    """Filter clauses for records that may be returned."""
    clauses: list[Body] = [{"term": {"doc_type": doc_type}}]
    clauses += [
        {"term": {field: value}}
        for field, value in (("database", where.database), ("domain", where.domain))
        if value is not None
    ]
    scope = where.scope
    if scope.databases is not None:
        clauses.append({"terms": {"database": sorted(scope.databases)}})
    if scope.schemas is not None:
        seen: Body = {"terms": {"place": sorted(place_of(*pair) for pair in scope.schemas)}}
        above: Body = {
            "bool": {
                "filter": {"terms": {"database": sorted({database for database, _ in scope.schemas})}},
                "must_not": {"exists": {"field": "schema"}},
            }
        }
        clauses.append({"bool": {"should": [seen, above], "minimum_should_match": 1}})
    return clauses


def lexical(terms: Sequence[str], doc_type: DocType, where: IndexFilter, limit: int) -> Body | None:
    """A BM25 query for records that share a term, whose hits name the positions of their terms; `None` without
    terms."""
    wanted = distinct_terms(terms)
    if not wanted:
        return None
    field = terms_field(doc_type)
    shared = [{"term": {field: {"value": encode_term(term), "_name": str(n)}}} for n, term in enumerate(wanted)]
    query = {
        "bool": {
            "filter": filters(where, doc_type),
            "should": shared,
            "minimum_should_match": 1,
            "boost": _LUCENE_SCALE,
        }
    }
    return _ranked(query, doc_type, limit)


def nearest(vector: NDArray[Any], kind: VectorKind, where: IndexFilter, limit: int, exact: bool) -> Body | None:
    """A query by cosine similarity; `None` for a zero vector, which matches nothing."""
    values = written_vector(vector)
    if values is None:
        return None
    field, doc_type = vector_field(kind), doc_type_of(kind)
    chosen = {"bool": {"filter": [*filters(where, doc_type), {"term": {"vectors": kind}}]}}
    if not exact:
        walk = {"vector": values, "k": min(limit, _WALKED), "filter": chosen}
        return _ranked({"knn": {field: walk}}, doc_type, limit)
    script = {
        "source": "knn_score",
        "lang": "knn",
        "params": {"field": field, "query_value": values, "space_type": VECTOR_SPACE},
    }
    return _ranked({"script_score": {"query": chosen, "script": script}}, doc_type, limit)


def term_counts(terms: Sequence[str], doc_type: DocType, where: IndexFilter) -> Body:
    """A query for the number of records that contain each term, by the term's position."""
    field = terms_field(doc_type)
    each = {str(number): {"term": {field: encode_term(term)}} for number, term in enumerate(terms)}
    query = {"bool": {"filter": filters(where, doc_type)}}
    return {"size": 0, "query": query, "aggs": {"terms": {"filters": {"filters": each}}}, "track_total_hits": False}


def scan(query: Body, fields: Sequence[str], after: Sequence[Any] | None, order: str) -> Body:
    """A query for one page of all matching documents, sorted by a field, with the values of some fields."""
    body: Body = {
        "query": query,
        "size": PAGE,
        "version": True,
        "sort": [{order: "asc"}],
        "_source": False,
        "docvalue_fields": list(fields),
        "track_total_hits": False,
    }
    return body if after is None else {**body, "search_after": list(after)}


def by_ids(ids: Sequence[str]) -> Body:
    """A query for documents by `_id`, with their source."""
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["value"], "track_total_hits": False}


def candidates(question: ByWords | ByVector, response: Mapping[str, Any]) -> Candidates:
    """Parse the hits of a query into candidates."""
    hits: RankedHits | list[Any] = response["hits"]["hits"]
    if not isinstance(hits, RankedHits):
        return Candidates.of(())
    scores: NDArray[Any] = np.array(hits.column(0), dtype=np.float64)
    records = np.array(hits.column(1), dtype=np.int64)
    of_table = records if _are_tables(question) else np.array(hits.column(2), dtype=np.int64)
    # A missing value sorts as a number that is not a valid id.
    of_table = np.where(of_table < _NO_ID, of_table, 0)
    if isinstance(question, ByWords):
        terms = distinct_terms(question.terms)
        shared = {names: frozenset(terms[int(name)] for name in names.split(",")) for names in set(hits.names)}
        return Candidates(records, np.round(scores, _SCORE_DIGITS), of_table, [shared[names] for names in hits.names])
    scores = np.round(_cosines(scores), _SCORE_DIGITS)
    order = np.lexsort((records, -scores))
    return Candidates(records[order], scores[order], of_table[order])


def _cosines(scores: NDArray[Any]) -> NDArray[Any]:
    """Convert Lucene's non-negative scores to cosines: 1 + product, or 1 / (1 - product) for a negative product."""
    products = np.where(scores >= 1.0, scores - 1.0, 1.0 - 1.0 / scores)
    cosines: NDArray[Any] = np.clip(products / VECTOR_SCALE**2, -1.0, 1.0)
    return cosines


def _are_tables(question: ByWords | ByVector) -> bool:
    doc_type = question.doc_type if isinstance(question, ByWords) else doc_type_of(question.kind)
    return doc_type == "table"


def _ranked(query: Body, doc_type: DocType, limit: int) -> Body:
    # Return everything needed as sort values, which avoids fetching stored fields.
    order = [{"_score": "desc"}, {"id": "asc"}]
    return {
        "query": query,
        "size": min(limit, PAGE),
        # A table's id is that of its record.
        "sort": order if doc_type == "table" else [*order, {"table_id": "asc"}],
        "_source": False,
        "stored_fields": "_none_",
        "track_total_hits": False,
    }
