"""Tool `search_tables`: finds the tables that hold the answer to a question in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from tribal.errors import ToolInputInvalid
from tribal.naming import read_name, stem
from tribal.ports import IndexFilter
from tribal.ranking.relevance import non_increasing
from tribal.retrieval.answers.fitting import fitted_search
from tribal.retrieval.candidates import COUNTED, SCORED_A_SIGNAL, Found, find, rank
from tribal.retrieval.graphs import table_map
from tribal.retrieval.names import find_database, find_domain
from tribal.retrieval.query import interpret, read_question, spoken_words
from tribal.retrieval.scoping.bounds import Bounds
from tribal.retrieval.scoping.tables import bounded_table
from tribal.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal_contracts import (
    AgentError,
    ColumnSummary,
    DocumentedColumn,
    SearchTablesInput,
    SearchTablesOutput,
    TableDocument,
    TableSearchResult,
)

MAX_LIMIT = 20
MAX_QUERY_CHARS = 2_000
MAX_KEY_COLUMNS = 8
"""The most columns in a result: keys, then columns that the question mentions."""
MAX_JOINED_TABLES = 3
"""The most tables named in a reason."""


def search_tables(request: SearchTablesInput, toolbox: Toolbox) -> SearchTablesOutput:
    """Find tables by their content.

    Raises:
        ToolInputInvalid: when the query is blank or too long, or the limit out of range.
        DatabaseNotFound, DomainNotFound: when a filter names nothing documented.
        AnswerTooLong: when a table alone exceeds what an answer without an explicit limit may have.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.1.
    """
    _check(request)
    opened = open_index(toolbox)
    where = _filter(request, opened, toolbox)
    concepts = read_question(request.query)
    found = find(request.query, concepts, where, opened, toolbox)
    ranked = rank(found, where, opened, toolbox)
    total, bound = found.total, found.more_than_counted
    if request.min_score > 0:
        # Filters on each table's own evidence, not on the score capped by the tables ranked above.
        scored = ranked[: 2 * SCORED_A_SIGNAL]
        ranked = scored[[found.evidence_for(table) >= request.min_score for table in scored.tolist()]]
        total, bound = len(ranked), len(found.lexical) > SCORED_A_SIGNAL
    best: list[int] = ranked[: request.limit].tolist()
    warnings = [*opened.warnings, *found.warnings, *([_lower_bound(request, toolbox)] if bound else [])]
    domains = table_map(IndexFilter(scope=toolbox.scope), opened, toolbox).domains
    answer = SearchTablesOutput(
        success=True,
        tables=_results(best, found, spoken_words(concepts), toolbox, opened.bounds),
        total_matches=total,
        tokens_used=0,
        query_interpretation=interpret(request.query, concepts, domains),
        returned=len(best),
        truncated=total > len(best),
        warnings=warnings or None,
    )
    return answer if "limit" in request.model_fields_set else fitted_search(answer, toolbox)


def _check(request: SearchTablesInput) -> None:
    if not 1 <= request.limit <= MAX_LIMIT:
        raise ToolInputInvalid(f"limit is {request.limit}; it must be from 1 to {MAX_LIMIT}")
    if not request.query.strip():
        raise ToolInputInvalid("the query is blank; say what you are looking for in plain words")
    if len(request.query) > MAX_QUERY_CHARS:
        raise ToolInputInvalid(
            f"the query has {len(request.query)} characters; it may have {MAX_QUERY_CHARS}, so ask for less at once"
        )


def _filter(request: SearchTablesInput, opened: OpenIndex, toolbox: Toolbox) -> IndexFilter:
    database = None if request.database is None else find_database(request.database, opened.tables)
    domain = None if request.domain is None else find_domain(request.domain, opened.tables, database)
    return IndexFilter(scope=toolbox.scope, database=database, domain=domain)


def _lower_bound(request: SearchTablesInput, toolbox: Toolbox) -> AgentError:
    looked_at = SCORED_A_SIGNAL if request.min_score > 0 else COUNTED
    return toolbox.warning(
        "RET_ANSWER_PARTIAL",
        f"total_matches is a lower bound: {looked_at} tables that share a word were looked at; ask more precisely",
    )


def _results(
    ids: Sequence[int], found: Found, spoken: Mapping[str, str], toolbox: Toolbox, bounds: Bounds
) -> list[TableSearchResult]:
    records = toolbox.index.records(ids)
    # A table may leave the index between the two reads.
    documents = [(table, records[table].structured) for table in ids if table in records]
    tables = [(table, None if document is None else bounded_table(document, bounds)) for table, document in documents]
    scores = non_increasing(found.evidence_for(table) for table, _ in tables)
    beside = frozenset(document.name for _, document in tables if document is not None)
    return [
        _result(document, score, table, found, spoken, beside)
        for (table, document), score in zip(tables, scores, strict=True)
        if document is not None
    ]


def _result(
    document: TableDocument,
    score: float,
    table: int,
    found: Found,
    spoken: Mapping[str, str],
    beside: frozenset[str],
) -> TableSearchResult:
    shared = found.shared_terms(table)
    return TableSearchResult(
        name=document.name,
        database=document.database,
        schema_=document.schema_,
        table=document.table,
        domain=document.domain,
        description=document.description.text,
        description_source=document.description.source,
        key_columns=[_summary(column) for column in _key_columns(document, shared)],
        row_count=document.row_count,
        relevance_score=score,
        reasons=[*_reasons(document, shared, table, found, spoken), *_joined_tables(document, beside)] or None,
    )


@lru_cache(maxsize=16_384)
def _terms_of(name: str) -> frozenset[str]:
    _, forms = read_name(name)
    return frozenset(map(stem, forms))


def _key_columns(document: TableDocument, shared: frozenset[str]) -> list[DocumentedColumn]:
    keys = [column for column in document.columns if column.is_primary_key]
    keys += [column for column in document.columns if column.is_foreign_key and not column.is_primary_key]
    chosen = {column.name for column in keys}
    others = (column for column in document.columns if column.name not in chosen)
    spoken_of = [column for column in others if _terms_of(column.name) & shared]
    # Leave room beside many keys for columns that the question mentions.
    room_for_keys = MAX_KEY_COLUMNS - min(len(spoken_of), MAX_KEY_COLUMNS // 2)
    return [*keys[:room_for_keys], *spoken_of][:MAX_KEY_COLUMNS]


def _summary(column: DocumentedColumn) -> ColumnSummary:
    return ColumnSummary(
        name=column.name,
        type=column.type,
        description=column.description.text,
        description_source=column.description.source,
        is_primary_key=column.is_primary_key,
        is_foreign_key=column.is_foreign_key,
    )


def _reasons(
    document: TableDocument, shared: frozenset[str], table: int, found: Found, spoken: Mapping[str, str]
) -> list[str]:
    def said(terms: Iterable[str]) -> str:
        return ", ".join(dict.fromkeys(repr(spoken.get(term, term)) for term in sorted(terms)))

    reasons: list[str] = []
    own = _terms_of(document.table) & shared
    columns = [column.name for column in document.columns if _terms_of(column.name) & shared]
    rest = shared.difference(own, *(_terms_of(column) for column in columns))
    if own:
        reasons.append(f"its name says {said(own)}")
    if columns:
        reasons.append(f"it has the columns {', '.join(columns[:MAX_KEY_COLUMNS])}")
    if rest:
        reasons.append(f"its documentation says {said(rest)}")
    if table in found.by_vector.ids[:MAX_LIMIT]:
        reasons.append("its names are near to the question in meaning")
    elif table in found.by_name.ids[:MAX_LIMIT]:
        reasons.append("its name is near to the question in meaning")
    if table in found.by_column.table_ids[:MAX_LIMIT]:
        reasons.append("one of its columns is near to the question in meaning")
    return reasons


def _joined_tables(document: TableDocument, beside: frozenset[str]) -> list[str]:
    """The reason of a table ranked for its neighbours: the tables of this answer that it is joined to."""
    joined = [relation.name for relation in document.relations if relation.name in beside - {document.name}]
    names = list(dict.fromkeys(joined))[:MAX_JOINED_TABLES]
    return [f"it is joined to {', '.join(names)}"] if names else []
