"""Tool `search_tables`: finds the tables that hold the answer to a question in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tribal.capabilities.retrieval.answers.fitting import fitted_search
from tribal.capabilities.retrieval.graphs import join_graph
from tribal.capabilities.retrieval.names import find_database, find_domain
from tribal.capabilities.retrieval.searching.bridges import JOINED, bridges
from tribal.capabilities.retrieval.searching.candidates import COUNTED, SCORED_A_SIGNAL, Found, find
from tribal.capabilities.retrieval.searching.listing import ListedColumn, TableListing, listed_tables
from tribal.capabilities.retrieval.searching.ordering import Order, order_of
from tribal.capabilities.retrieval.searching.query import interpret, spoken_words
from tribal.capabilities.retrieval.searching.repeated_tables import terms_of
from tribal.capabilities.retrieval.searching.table_map import table_map
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import ToolInputInvalid
from tribal.ports import IndexFilter
from tribal.ranking.relevance import non_increasing
from tribal.scoping.bounds import Bounds
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
    found = find(request.query, where, opened, toolbox)
    order = order_of(found, where, opened, toolbox)
    ids, total, bound = order.ids, found.total - sum(order.folded.values()), found.more_than_counted
    if request.min_score > 0:
        # Filters on each table's own evidence, not on the score capped by the tables ranked above.
        scored = ids[: 2 * SCORED_A_SIGNAL]
        ids = scored[[found.relevance_of(table) >= request.min_score for table in scored.tolist()]]
        total, bound = len(ids), len(found.lexical) > SCORED_A_SIGNAL
    chosen = _chosen(ids[: request.limit].tolist(), request, where, found, opened, toolbox)
    total += sum(not found.is_match(table) for table in chosen.bridges)
    warnings = [
        *opened.warnings,
        *found.warnings,
        *_unmatched(found, total, toolbox),
        *([_lower_bound(request, toolbox)] if bound else []),
    ]
    domains = table_map(IndexFilter(scope=toolbox.scope), opened, toolbox).domains
    tables = _results(chosen, order, found, toolbox, opened.bounds)
    answer = SearchTablesOutput(
        success=True,
        tables=tables,
        total_matches=total,
        tokens_used=0,
        query_interpretation=interpret(request.query, found.reading.concepts, domains),
        returned=len(tables),
        truncated=total > len(tables),
        warnings=warnings or None,
    )
    return answer if "limit" in request.model_fields_set else fitted_search(answer, toolbox)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The tables of an answer by id: those that were found, and those that join them, each with what it joins."""

    found: Sequence[int]
    bridges: Mapping[int, tuple[str, str]]


def _chosen(
    best: list[int], request: SearchTablesInput, where: IndexFilter, found: Found, opened: OpenIndex, toolbox: Toolbox
) -> _Chosen:
    """The best tables, the last of which give way to tables that the first ones are joined through."""
    numbered = table_map(where, opened, toolbox)
    shown = [numbered.names[number] for number in numbered.numbers(np.array(best, np.int64)).tolist()]

    def id_of(name: str) -> int:
        return int(numbered.record_ids[numbered.by_name[name]])

    def allowed(name: str) -> bool:
        return name in numbered.by_name and found.relevance_of(id_of(name)) >= request.min_score

    between = bridges(shown[:JOINED], shown, join_graph(opened, toolbox), allowed)
    room = max(request.limit - JOINED, 0)
    added = {id_of(name): pair for name, pair in list(between.items())[:room]}
    return _Chosen(best[: request.limit - len(added)], added)


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


def _unmatched(found: Found, total: int, toolbox: Toolbox) -> list[AgentError]:
    """What of the question nothing here answers."""
    words = ", ".join(map(repr, found.reading.missing))
    if not total:
        said = f": no table searched has {words}" if words else ""
        message = f"nothing here is about that{said}; ask in other words, or see list_domains for what there is"
        return [toolbox.warning("RET_NOTHING_RELEVANT", message)]
    return [toolbox.warning("RET_WORDS_UNMATCHED", f"no table searched has {words}")] if words else []


def _lower_bound(request: SearchTablesInput, toolbox: Toolbox) -> AgentError:
    looked_at = SCORED_A_SIGNAL if request.min_score > 0 else COUNTED
    return toolbox.warning(
        "RET_ANSWER_PARTIAL",
        f"total_matches is a lower bound: {looked_at} tables that share a word were looked at; ask more precisely",
    )


def _results(chosen: _Chosen, order: Order, found: Found, toolbox: Toolbox, bounds: Bounds) -> list[TableSearchResult]:
    ids = [*chosen.found, *chosen.bridges]
    # A table may leave the index between the two reads.
    tables = list(listed_tables(ids, bounds, toolbox).items())
    capped = non_increasing(found.relevance_of(table) for table, _ in tables if table not in chosen.bridges)
    scores = [*capped, *(found.relevance_of(table) for table in chosen.bridges)]
    spoken, beside = spoken_words(found.reading.concepts), frozenset(document.name for _, document in tables)
    results = []
    for (table, document), score in zip(tables, scores, strict=False):
        why = _reasons(document, table, found, spoken)
        joined = _joined_tables(document, beside)
        if table in chosen.bridges:
            joined = [f"it joins {chosen.bridges[table][0]} and {chosen.bridges[table][1]}"]
        stands_for = [f"it stands for {parts} more of its parts"] if (parts := order.folded.get(table)) else []
        results.append(_result(document, score, found.shared_terms(table), [*why, *joined, *stands_for]))
    return results


def _result(
    document: TableDocument | TableListing, score: float, shared: frozenset[str], reasons: Sequence[str]
) -> TableSearchResult:
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
        reasons=list(reasons) or None,
    )


def _key_columns(
    document: TableDocument | TableListing, shared: frozenset[str]
) -> Sequence[DocumentedColumn | ListedColumn]:
    keys: list[DocumentedColumn | ListedColumn]
    keys = [column for column in document.columns if column.is_primary_key]
    keys += [column for column in document.columns if column.is_foreign_key and not column.is_primary_key]
    chosen = {column.name for column in keys}
    others = (column for column in document.columns if column.name not in chosen)
    spoken_of = [column for column in others if terms_of(column.name) & shared]
    # Leave room beside many keys for columns that the question mentions.
    room_for_keys = MAX_KEY_COLUMNS - min(len(spoken_of), MAX_KEY_COLUMNS // 2)
    return [*keys[:room_for_keys], *spoken_of][:MAX_KEY_COLUMNS]


def _summary(column: DocumentedColumn | ListedColumn) -> ColumnSummary:
    return ColumnSummary(
        name=column.name,
        type=column.type,
        description=column.description.text,
        description_source=column.description.source,
        is_primary_key=column.is_primary_key,
        is_foreign_key=column.is_foreign_key,
    )


def _reasons(document: TableDocument | TableListing, table: int, found: Found, spoken: Mapping[str, str]) -> list[str]:
    shared = found.shared_terms(table)

    def said(terms: Iterable[str]) -> str:
        # Two words as one are said only where neither is found by itself.
        words = [spoken[term] for term in sorted(terms) if term in spoken] or sorted(terms)
        return ", ".join(dict.fromkeys(map(repr, words)))

    reasons = ["it is named in the question"] if table in found.fully_named else []
    own = terms_of(document.table) & shared
    columns = [column.name for column in document.columns if terms_of(column.name) & shared]
    rest = shared.difference(own, *(terms_of(column) for column in columns))
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


def _joined_tables(document: TableDocument | TableListing, beside: frozenset[str]) -> list[str]:
    """The reason of a table ranked for its neighbours: the tables of this answer that it is joined to."""
    joined = [relation.name for relation in document.relations if relation.name in beside - {document.name}]
    names = list(dict.fromkeys(joined))[:MAX_JOINED_TABLES]
    return [f"it is joined to {', '.join(names)}"] if names else []
