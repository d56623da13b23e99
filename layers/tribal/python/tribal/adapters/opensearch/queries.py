"""Searches as OpenSearch wants them, and what comes back."""

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
"""Terms of one question that are looked at."""
PAGE = 10_000
"""Documents of one answer, the most that OpenSearch gives at once."""
EXACT_VECTORS = 10_000
"""As long as no more vectors than this can be meant, each is compared; beyond, the graph of neighbours is walked."""

_WALKED = 500
"""Neighbours that a walk through the graph finds at the most: its cost grows with them."""
_SCORE_DIGITS = 6
_LUCENE_SCALE = 2.2
"""What BM25 multiplies by (k1 + 1) and Lucene leaves out."""
_NO_ID = 1 << 53


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """The terms that are asked for: each once, none empty, no more than `MAX_TERMS`."""
    return [term for term in dict.fromkeys(terms) if term][:MAX_TERMS]


def filters(where: IndexFilter, doc_type: DocType) -> list[Body]:
    """What a record must be to be seen."""
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
    """Records that share a term, by BM25; each hit names the places of the terms; `None` when no term is asked for."""
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
    """Records by cosine similarity; `None` when a zero vector asks for nothing."""
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
    """How many records hold each term, by its place."""
    field = terms_field(doc_type)
    each = {str(number): {"term": {field: encode_term(term)}} for number, term in enumerate(terms)}
    query = {"bool": {"filter": filters(where, doc_type)}}
    return {"size": 0, "query": query, "aggs": {"terms": {"filters": {"filters": each}}}, "track_total_hits": False}


def scan(query: Body, fields: Sequence[str], after: Sequence[Any] | None, order: str) -> Body:
    """One page of all documents that fit, in the order of a field, with the values of some fields."""
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
    """Documents by `_id`, with what they keep."""
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["value"], "track_total_hits": False}


def candidates(question: ByWords | ByVector, response: Mapping[str, Any]) -> Candidates:
    """The hits of a search for candidates."""
    hits: RankedHits | list[Any] = response["hits"]["hits"]
    if not isinstance(hits, RankedHits):
        return Candidates.of(())
    scores: NDArray[Any] = np.array(hits.column(0), dtype=np.float64)
    records = np.array(hits.column(1), dtype=np.int64)
    of_table = records if _are_tables(question) else np.array(hits.column(2), dtype=np.int64)
    # A missing value sorts as a number that no id has.
    of_table = np.where(of_table < _NO_ID, of_table, 0)
    if isinstance(question, ByWords):
        terms = distinct_terms(question.terms)
        shared = {names: frozenset(terms[int(name)] for name in names.split(",")) for names in set(hits.names)}
        return Candidates(records, np.round(scores, _SCORE_DIGITS), of_table, [shared[names] for names in hits.names])
    scores = np.round(_cosines(scores), _SCORE_DIGITS)
    order = np.lexsort((records, -scores))
    return Candidates(records[order], scores[order], of_table[order])


def _cosines(scores: NDArray[Any]) -> NDArray[Any]:
    """What stands behind scores, which are never negative: 1 + product, and 1 / (1 - product) of a negative one."""
    products = np.where(scores >= 1.0, scores - 1.0, 1.0 - 1.0 / scores)
    cosines: NDArray[Any] = np.clip(products / VECTOR_SCALE**2, -1.0, 1.0)
    return cosines


def _are_tables(question: ByWords | ByVector) -> bool:
    doc_type = question.doc_type if isinstance(question, ByWords) else doc_type_of(question.kind)
    return doc_type == "table"


def _ranked(query: Body, doc_type: DocType, limit: int) -> Body:
    # What a hit must tell stands in its sort values, which spares looking anything up for it.
    order = [{"_score": "desc"}, {"id": "asc"}]
    return {
        "query": query,
        "size": min(limit, PAGE),
        # The id of a table is that of its record.
        "sort": order if doc_type == "table" else [*order, {"table_id": "asc"}],
        "_source": False,
        "stored_fields": "_none_",
        "track_total_hits": False,
    }
