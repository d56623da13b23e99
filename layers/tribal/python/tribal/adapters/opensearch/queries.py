"""Builds OpenSearch queries and parses their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.adapters.opensearch.client import RankedHits
from tribal.adapters.opensearch.layout import (
    LONG_WORDS,
    VECTOR_SCALE,
    VECTOR_SPACE,
    doc_type_of,
    encode_term,
    place_of,
    terms_field,
    vector_field,
    written_vector,
)
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Candidates, IndexFilter, MatchedTerms, VectorKind, VectorQuery, WordQuery
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
_NAMED = "n"
"""Marks clauses about records that are searched by their names alone."""
_TERMS_A_CLAUSE = 32_768
"""Half of what one clause may hold by the default of OpenSearch."""
LUCENE_SCALE = 2.2
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
    if where.scope != EVERYTHING:
        clauses.append(any_of(list(_in_scope(where.scope))))
    return clauses


def _in_scope(scope: Scope) -> Iterator[Body]:
    """A clause each for records of whole databases, of single schemas, and of the databases above those."""
    yield {"terms": {"database": sorted(scope.databases or ())}}
    if scope.schemas is not None:
        yield {"terms": {"place": sorted(place_of(*pair) for pair in scope.schemas)}}
        above = {"terms": {"database": sorted({database for database, _ in scope.schemas})}}
        yield {"bool": {"filter": above, "must_not": {"exists": {"field": "schema"}}}}


def lexical(terms: Sequence[str], doc_type: DocType, where: IndexFilter, limit: int) -> Body | None:
    """A BM25 query for records that share a term, whose hits name the positions of their terms; `None` without
    terms."""
    wanted = distinct_terms(terms)
    if not wanted:
        return None
    ways = [
        any_of([*_terms_in(field, wanted, mark)], {**limits, "_name": mark} if mark else limits)
        for mark, field, limits in _searched(where, doc_type)
    ]
    query = any_of(ways[0]["bool"]["should"] if len(ways) == 1 else ways, {"filter": filters(where, doc_type)})
    query["bool"]["boost"] = LUCENE_SCALE
    return _ranked(query, doc_type, limit)


def _terms_in(field: str, terms: Sequence[str], mark: str) -> Iterator[Body]:
    """A clause for each term, named by its position and a mark: names must be unique in a query."""
    for number, term in enumerate(terms):
        yield {"term": {field: {"value": encode_term(term), "_name": f"{number}{mark}"}}}


def any_of(clauses: Sequence[Body], limits: Body | None = None) -> Body:
    """A query for what one of some clauses matches, within limits."""
    return {"bool": {**(limits or {}), "should": list(clauses), "minimum_should_match": 1}}


def _searched(where: IndexFilter, doc_type: DocType) -> Iterator[tuple[str, str, Body]]:
    """The fields that a filter lets be searched, each with a mark and the records of which it may be."""
    open_field = terms_field(doc_type, "whole" if where.scope.schemas is None else "own")
    if not where.hidden:
        yield "", open_field, {}
        return
    yield "", open_field, {"must_not": [_mentioning(where)]}
    yield _NAMED, terms_field(doc_type, "named"), {"filter": [_mentioning(where)]}


def _mentioning(where: IndexFilter) -> Body:
    """A clause for the records that mention anything hidden."""
    words = sorted(where.hidden)
    batches = [words[start : start + _TERMS_A_CLAUSE] for start in range(0, len(words), _TERMS_A_CLAUSE)]
    return any_of([{"terms": {"mentions": batch}} for batch in batches])


def nearest(vector: NDArray[Any], kind: VectorKind, where: IndexFilter, limit: int, exact: bool) -> Body | None:
    """A query by cosine similarity; `None` for a zero vector, which matches nothing."""
    values = written_vector(vector)
    if values is None:
        return None
    doc_type = doc_type_of(kind)
    ways: list[Body] = []
    for by, limits in _compared(where, kind):
        chosen = {"bool": {"filter": [*filters(where, doc_type), {"term": {"vectors": by}}], **limits}}
        ways.append(compare_all(values, vector_field(by), chosen) if exact else _walk(values, by, limit, chosen))
    body = _ranked(ways[0] if len(ways) == 1 else any_of(ways), doc_type, limit)
    return {**body, "collapse": {"field": "table_id"}} if kind == "column" else body


def _walk(values: list[int], kind: VectorKind, limit: int, chosen: Body) -> Body:
    """An approximate search for the nearest vectors."""
    walk = {"vector": values, "k": min(limit, _WALKED), "filter": chosen}
    return {"knn": {vector_field(kind): walk}}


def compare_all(values: list[int], field: str, chosen: Body) -> Body:
    """A search that compares every vector of the chosen records."""
    params = {"field": field, "query_value": values, "space_type": VECTOR_SPACE}
    return {"script_score": {"query": chosen, "script": {"source": "knn_score", "lang": "knn", "params": params}}}


def _compared(where: IndexFilter, kind: VectorKind) -> Iterator[tuple[VectorKind, Body]]:
    """The kinds of vector that a filter lets be compared, each with the records whose vectors may be."""
    if not where.hidden or kind == "table_name":
        yield kind, {}
        return
    yield kind, {"must_not": [_mentioning(where)]}
    if kind == "table":
        yield "table_name", {"must": [_mentioning(where)]}


def term_counts(terms: Sequence[str], doc_type: DocType, where: IndexFilter) -> Body:
    """A query for the number of records that contain each term, which `counted` reads."""
    ways: Body = {}
    for mark, field, limits in _searched(where, doc_type):
        each = {str(number): {"term": {field: encode_term(term)}} for number, term in enumerate(terms)}
        ways[f"ways{mark}"] = {"filter": {"bool": limits}, "aggs": {"terms": {"filters": {"filters": each}}}}
    query = {"bool": {"filter": filters(where, doc_type)}}
    return {"size": 0, "query": query, "aggs": ways, "track_total_hits": False}


def counted(terms: Sequence[str], response: Mapping[str, Any]) -> dict[str, int]:
    """The number of records that contain each term; terms found in none are left out."""
    ways = [way["terms"]["buckets"] for way in response["aggregations"].values()]
    counts = {term: sum(way[str(number)]["doc_count"] for way in ways) for number, term in enumerate(terms)}
    return {term: count for term, count in counts.items() if count}


def long_words(after: Body | None) -> Body:
    """A query for one page of the distinct long words of tables, in order."""
    page: Body = {"size": PAGE, "sources": [{"word": {"terms": {"field": LONG_WORDS}}}]}
    words = {"composite": page if after is None else page | {"after": after}}
    return {"size": 0, "track_total_hits": False, "aggs": {"words": words}}


def scan(query: Body, fields: Sequence[str], after: Sequence[Any] | None) -> Body:
    """A query for one page of all matching documents, ordered by `id`, with the values of some fields."""
    body: Body = {
        "query": query,
        "size": PAGE,
        "seq_no_primary_term": True,
        "sort": [{"id": "asc"}],
        "_source": False,
        "docvalue_fields": list(fields),
        "track_total_hits": False,
    }
    return body if after is None else {**body, "search_after": list(after)}


def by_ids(ids: Sequence[str]) -> Body:
    """A query for documents by `_id`, with their source."""
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["value"], "track_total_hits": False}


def candidates(question: WordQuery | VectorQuery, response: Mapping[str, Any]) -> Candidates:
    """Parse the hits of a query into candidates."""
    hits: RankedHits | list[Any] = response["hits"]["hits"]
    if not isinstance(hits, RankedHits):
        return Candidates.of(())
    scores: NDArray[Any] = np.array(hits.column(0), dtype=np.float64)
    records = np.array(hits.column(1), dtype=np.int64)
    of_table = records if _are_tables(question) else np.array(hits.column(2), dtype=np.int64)
    # A missing value sorts as a number that is not a valid id.
    of_table = np.where(of_table < _NO_ID, of_table, 0)
    if isinstance(question, WordQuery):
        bits = {names: _matched_bits(names.split(",")) for names in set(hits.names)}
        matched = MatchedTerms(distinct_terms(question.terms), np.array([bits[each] for each in hits.names], np.uint64))
        return Candidates(records, np.round(scores, _SCORE_DIGITS), of_table, matched)
    scores = np.round(cosines(scores), _SCORE_DIGITS)
    order = np.lexsort((records, -scores))
    return Candidates(records[order], scores[order], of_table[order])


def _matched_bits(names: Sequence[str]) -> int:
    """A bit for each term that a hit matches: OpenSearch reports a clause's name for every hit that matches it."""
    mark = _NAMED if _NAMED in names else ""
    numbers = (name.removesuffix(mark) for name in names if name != mark and name.endswith(_NAMED) == bool(mark))
    return sum(1 << int(number) for number in numbers)


def cosines(scores: NDArray[Any]) -> NDArray[Any]:
    """Convert Lucene's non-negative scores to cosines: 1 + product, or 1 / (1 - product) for a negative product."""
    products = np.where(scores >= 1.0, scores - 1.0, 1.0 - 1.0 / scores)
    cosines: NDArray[Any] = np.clip(products / VECTOR_SCALE**2, -1.0, 1.0)
    return cosines


def _are_tables(question: WordQuery | VectorQuery) -> bool:
    doc_type = question.doc_type if isinstance(question, WordQuery) else doc_type_of(question.kind)
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
