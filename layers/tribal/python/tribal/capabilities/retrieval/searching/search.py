"""Finds tables for a question in plain words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.graphs import join_graph
from tribal.capabilities.retrieval.names import find_database, find_domain
from tribal.capabilities.retrieval.searching.candidates import (
    COUNTED,
    SCORED_A_SIGNAL,
    SearchCandidates,
    find_candidates,
)
from tribal.capabilities.retrieval.searching.ordering import RankedTables, rank_candidates
from tribal.capabilities.retrieval.searching.query import interpret, said_words, spoken_words
from tribal.capabilities.retrieval.searching.repeated_tables import terms_of
from tribal.capabilities.retrieval.searching.table_map import table_map
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import ToolInputInvalid
from tribal.joins.graph import JOINED, bridges
from tribal.ports import IndexFilter
from tribal.ranking.relevance import non_increasing
from tribal.scoping.bounds import Bounds
from tribal_contracts import (
    AgentError,
    ColumnSummary,
    Contract,
    Description,
    DocumentedColumn,
    DomainName,
    FullyQualifiedTableName,
    RowCount,
    SearchTablesInput,
    SearchTablesOutput,
    TableDocument,
    TableSearchResult,
    ValueMeaning,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_LIMIT = 20
MAX_QUERY_CHARS = 2_000
MAX_KEY_COLUMNS = 8
"""The most columns in a result: keys, then columns that the question mentions."""
NO_MATCH = "not a match, only among the next nearest"
"""The first reason of a table that does not match."""
_FIRST = 10
"""How many tables show whether a question is about these databases; those that the calibration was fitted with."""
MAX_JOINED_TABLES = 3
"""The most tables named in a reason."""


class ListedColumn(Contract):
    """A column with its type and description."""

    name: str
    type: str
    description: Description
    is_primary_key: bool
    is_foreign_key: bool
    allowed_values: list[str] | None = None
    value_meanings: dict[str, ValueMeaning] | None = None


class ListedRelation(Contract):
    """A table that this one joins."""

    name: FullyQualifiedTableName


class TableListing(Contract):
    """The part of `TableDocument` that results show; parsing it is several times faster."""

    name: FullyQualifiedTableName
    database: str
    schema_: str = Field(alias="schema")
    table: str
    domain: DomainName
    description: Description
    row_count: RowCount
    columns: list[ListedColumn]
    relations: list[ListedRelation]


def listed_tables(ids: Sequence[int], bounds: Bounds, toolbox: Toolbox) -> dict[int, TableDocument | TableListing]:
    """The visible parts of tables by id, in the given order, without tables that the index no longer has."""
    if bounds.is_open:
        return dict(toolbox.index.documents(ids, TableListing))
    return {table: bounded_table(each, bounds) for table, each in toolbox.index.documents(ids, TableDocument).items()}


@dataclass(frozen=True, slots=True)
class SearchResult:
    """An answer of any size, and the candidates that it was chosen from."""

    answer: SearchTablesOutput
    candidates: SearchCandidates
    documents: Sequence[TableDocument | TableListing]
    """The tables of the answer."""
    domains: frozenset[str]
    """The domains that the caller may see."""
    documented: frozenset[str]
    """The terms of the question that the tables of the answer have anywhere."""
    first: Sequence[int]
    """Ids of the tables that show whether the question is about these databases."""

    @property
    def topic(self) -> float:
        """The probability that the question is about these databases, 0 to 1."""
        return self.candidates.topic_probability(self.first)


def search(request: SearchTablesInput, opened: OpenIndex, toolbox: Toolbox) -> SearchResult:
    """Find tables by their content.

    Raises:
        ToolInputInvalid: when the query is blank or too long, or the limit out of range.
        DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
    """
    _check(request)
    where = _filter(request, opened, toolbox)
    found = find_candidates(request.query, where, opened, toolbox)
    ranked = rank_candidates(found, where, opened, toolbox)
    ids, is_match, bound = ranked.ids, ranked.is_match, found.more_than_counted
    if request.min_score > 0:
        # Filter by each table's own evidence, not by its score, which is capped by the tables above it.
        scored = ids[: 2 * SCORED_A_SIGNAL]
        likely = np.array([found.relevance_of(table) >= request.min_score for table in scored.tolist()], bool)
        ids, is_match, bound = scored[likely], is_match[: len(scored)][likely], len(found.lexical) > SCORED_A_SIGNAL
    best = _first(is_match, request.limit)
    chosen = _choose_tables(ids[best].tolist(), request, where, found, opened, toolbox)
    matching = ids[is_match]
    total = len(matching) + sum(table not in matching for table in chosen.bridges)
    matches = {*ids[best][is_match[best]].tolist(), *chosen.bridges}
    warnings = [
        *opened.warnings,
        *found.warnings,
        *_unmatched(found, chosen, total, toolbox),
        *([_lower_bound(request, toolbox)] if bound else []),
    ]
    domains = table_map(IndexFilter(scope=toolbox.scope), opened, toolbox).domains
    # A table may leave the index between the two reads.
    documents = listed_tables([*chosen.found, *chosen.bridges], opened.bounds, toolbox)
    tables = _results(documents, chosen, matches, ranked, found)
    answer = SearchTablesOutput(
        success=True,
        tables=tables,
        total_matches=total,
        tokens_used=0,
        query_interpretation=interpret(request.query, found.question.concepts, domains),
        returned=len(tables),
        truncated=total > len(tables),
        warnings=warnings or None,
    )
    documented = frozenset[str]().union(*map(found.shared_terms, documents))
    return SearchResult(answer, found, list(documents.values()), domains, documented, ranked.ids[:_FIRST].tolist())


def _first(is_match: NDArray[Any], limit: int) -> NDArray[Any]:
    """Positions of the first tables; where fewer match than are asked for, of every match and the first others."""
    matches = np.flatnonzero(is_match)
    if len(matches) > limit:
        return np.arange(min(limit, len(is_match)))
    return np.sort(np.concatenate([matches, np.flatnonzero(~is_match)[: limit - len(matches)]]))


@dataclass(frozen=True, slots=True)
class _AnswerTables:
    """Table ids in an answer: the matches, and bridge tables with the two tables that each one joins."""

    found: Sequence[int]
    bridges: Mapping[int, tuple[str, str]]


def _choose_tables(
    best: list[int],
    request: SearchTablesInput,
    where: IndexFilter,
    found: SearchCandidates,
    opened: OpenIndex,
    toolbox: Toolbox,
) -> _AnswerTables:
    """The best matches. The lowest-ranked ones are dropped to make room for bridge tables between the top ones."""
    numbered = table_map(where, opened, toolbox)
    shown = [numbered.names[number] for number in numbered.numbers(np.array(best, np.int64)).tolist()]

    def id_of(name: str) -> int:
        return int(numbered.record_ids[numbered.by_name[name]])

    def allowed(name: str) -> bool:
        return name in numbered.by_name and found.relevance_of(id_of(name)) >= request.min_score

    between = bridges(shown[:JOINED], shown, join_graph(opened, toolbox), allowed)
    room = max(request.limit - JOINED, 0)
    added = {id_of(name): pair for name, pair in list(between.items())[:room]}
    return _AnswerTables(best[: request.limit - len(added)], added)


def _check(request: SearchTablesInput) -> None:
    if not 1 <= request.limit <= MAX_LIMIT:
        raise ToolInputInvalid(f"limit is {request.limit}; it must be from 1 to {MAX_LIMIT}")
    if not request.query.strip():
        raise ToolInputInvalid("the query is empty; describe what you are looking for")
    if len(request.query) > MAX_QUERY_CHARS:
        raise ToolInputInvalid(
            f"the query has {len(request.query)} characters; at most {MAX_QUERY_CHARS} are allowed; shorten it"
        )


def _filter(request: SearchTablesInput, opened: OpenIndex, toolbox: Toolbox) -> IndexFilter:
    database = None if request.database is None else find_database(request.database, opened.tables)
    domain = None if request.domain is None else find_domain(request.domain, opened.tables, database)
    return IndexFilter(scope=toolbox.scope, database=database, domain=domain)


def _unmatched(found: SearchCandidates, chosen: _AnswerTables, total: int, toolbox: Toolbox) -> list[AgentError]:
    """Warnings about words of the question that occur in no table, and about an answer without any match."""
    words = ", ".join(repr(word) for word in found.question.missing if not found.definitions.explains(word))
    missing = f"no searched table contains {words}" if words else ""
    if not chosen.found:
        detail = f": {missing}" if words else ""
        message = f"no table matches{detail}; rephrase the question, or call list_domains to see the topics"
        return [toolbox.warning("RET_NOTHING_RELEVANT", message)]
    if words and not total:
        missing += "; these tables are only the nearest in meaning"
    return [toolbox.warning("RET_WORDS_UNMATCHED", missing)] if words else []


def _lower_bound(request: SearchTablesInput, toolbox: Toolbox) -> AgentError:
    looked_at = SCORED_A_SIGNAL if request.min_score > 0 else COUNTED
    return toolbox.warning(
        "RET_ANSWER_PARTIAL",
        f"total_matches is a lower bound: only {looked_at} tables that share a word were checked; make the query "
        "more specific",
    )


def _results(
    documents: Mapping[int, TableDocument | TableListing],
    chosen: _AnswerTables,
    matches: Collection[int],
    ranked: RankedTables,
    found: SearchCandidates,
) -> list[TableSearchResult]:
    tables = list(documents.items())
    capped = non_increasing(found.relevance_of(table) for table, _ in tables if table not in chosen.bridges)
    scores = [*capped, *(found.relevance_of(table) for table in chosen.bridges)]
    spoken = spoken_words(found.question.concepts)
    shown = frozenset(document.name for table, document in tables if table in matches)
    results = []
    for (table, document), score in zip(tables, scores, strict=False):
        why = _reasons(document, table, found, spoken)
        joined = _joined_tables(document, shown) or _joined_tables(document, ranked.best)
        if table in chosen.bridges:
            joined = [f"it joins {chosen.bridges[table][0]} and {chosen.bridges[table][1]}"]
        covers_parts = [f"it also covers {parts} of its parts"] if (parts := ranked.folded.get(table)) else []
        nearest = [] if table in matches else [NO_MATCH]
        reasons = [*nearest, *why, *joined, *covers_parts]
        results.append(_result(document, score, found.shared_terms(table), reasons))
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
    # Even with many keys, leave room for columns that the question mentions.
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


def _reasons(
    document: TableDocument | TableListing, table: int, found: SearchCandidates, spoken: Mapping[str, str]
) -> list[str]:
    shared = found.shared_terms(table)

    def said(terms: Collection[str]) -> str:
        return ", ".join(map(repr, said_words(found.question.concepts, spoken, terms)))

    reasons = ["it is named in the question"] if table in found.fully_named else []
    if table in found.columns:
        reasons.append(f"it has the column {found.columns[table]}, which is named in the question")
    reasons += [found.defined[table][0]] if table in found.defined else []
    own = terms_of(document.table) & shared
    columns = [column.name for column in document.columns if terms_of(column.name) & shared]
    rest = shared.difference(own, *(terms_of(column) for column in columns))
    if own:
        reasons.append(f"its name says {said(own)}")
    if columns:
        reasons.append(f"it has the columns {', '.join(columns[:MAX_KEY_COLUMNS])}")
    if rest:
        reasons.append(f"its documentation says {said(rest)}")
    near = {kind for kind, tables in found.near.items() if table in tables}
    if "table" in near:
        reasons.append("its names are near to the question in meaning")
    elif "table_name" in near:
        reasons.append("its name is near to the question in meaning")
    if "column" in near:
        reasons.append("one of its columns is near to the question in meaning")
    return reasons


def _joined_tables(document: TableDocument | TableListing, others: frozenset[str]) -> list[str]:
    """The reason for a table ranked by its neighbours: the others that it joins."""
    joined = [relation.name for relation in document.relations if relation.name in others - {document.name}]
    names = list(dict.fromkeys(joined))[:MAX_JOINED_TABLES]
    return [f"it is joined to {', '.join(names)}"] if names else []
