"""Tool `get_query_context`: the tables, joins and rules that SQL for a question needs, in one text of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.context.joins_between import (
    are_in,
    fan_out_items,
    join_items,
    joins_among,
    referenced_tables,
    tables_between,
)
from tribal.capabilities.retrieval.context.packing import Item, Section, pack
from tribal.capabilities.retrieval.guidance import guidance_of
from tribal.capabilities.retrieval.names import find_database, find_domain, find_table, name_of
from tribal.capabilities.retrieval.searching.repeated_tables import terms_of
from tribal.capabilities.retrieval.searching.search import NO_MATCH, search
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import ToolInputInvalid
from tribal.naming import index_terms, stem
from tribal.ports import IndexedTable
from tribal.rendering.compact_table import compact_table
from tribal.rendering.markdown import escape_text, one_line
from tribal_contracts import (
    AgentError,
    ContextTable,
    DocumentedColumn,
    GetQueryContextInput,
    GetQueryContextOutput,
    SearchTablesInput,
    TableDocument,
)
from tribal_contracts.retrieval.context import LEAST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS

FOUND_TABLES = 10
"""How many tables a question may bring. By judgement: twice as many as a search returns by default."""
JOINED_TABLES = 4
"""How many of the first tables are joined, with the tables between them."""
GUIDED_TABLES = 3
"""How many of the first tables memories and decisions are looked up for."""
MAX_GUIDANCE = 5
_MOST_VIEW_CHARS = 2_000
"""The longest definition of a view that is shown. By judgement: 500 tokens."""
_TIME_WORDS = frozenset(
    map(
        stem,
        """
        last next this past previous current day week month quarter year today yesterday tomorrow date time january
        february march april may june july august september october november december monday tuesday wednesday
        thursday friday saturday sunday
        """.split(),
    )
)
"""Words about time, which need no documentation."""
_REQUESTED = "it was asked for"
_TABLES_SHARE, _JOINS_SHARE, _OTHERS_SHARE = 0.65, 0.2, 0.2
"""What a section may use before the others had their part. By judgement."""


@dataclass(slots=True)
class _Chosen:
    """The tables of a context with the reason for each, in order, and what the question says."""

    reasons: dict[str, str] = field(default_factory=dict)
    terms: Collection[str] = ()
    """Terms of the question, in all their readings."""
    missing: Sequence[str] = ()
    warnings: list[AgentError] = field(default_factory=list)


def get_query_context(request: GetQueryContextInput, toolbox: Toolbox) -> GetQueryContextOutput:
    """Put together what SQL for a question, or over some tables, needs.

    Raises:
        ToolInputInvalid: when there is neither a question nor a table, or a limit is out of range.
        TableNotFound: when a table has no such name, or more than one has.
        DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
        IndexNotReady: when there is no finished index.

    Source: docs/contracts.md, Query context.
    """
    _check(request)
    opened = open_index(toolbox)
    chosen = _choose(request, opened, toolbox)
    documents = _documents(chosen, opened, toolbox)
    joins = joins_among(documents, opened, toolbox)
    sections = [
        Section("", list(_head(documents)), 1.0, always=True),
        Section("Tables", list(_table_items(documents, chosen.terms)), _TABLES_SHARE, "sql"),
        Section("Joins", [*join_items(joins), *fan_out_items(joins)], _JOINS_SHARE, "sql"),
        Section("Views with SQL to reuse", list(_views(documents)), _OTHERS_SHARE, "sql"),
        Section("Decided and remembered", list(_guidance(documents, opened, toolbox)), _OTHERS_SHARE),
        Section("", list(_missing(chosen.missing)), 1.0, always=True),
    ]
    packed = pack(sections, request.max_tokens)
    shown = [name for name in documents if name in packed.shown]
    return GetQueryContextOutput(
        success=True,
        tokens_used=0,
        text=packed.text,
        tables=[ContextTable(table=name, reason=chosen.reasons[name]) for name in shown],
        joins=[join for join in joins if are_in(shown, join)],
        missing=list(chosen.missing),
        omitted=list(packed.omitted),
        warnings=[*opened.warnings, *chosen.warnings] or None,
        truncated=True if packed.omitted else None,
    )


def _check(request: GetQueryContextInput) -> None:
    if not (request.question or "").strip() and not request.tables:
        raise ToolInputInvalid("neither a question nor tables are given; write a question, or name tables, or both")
    if not LEAST_CONTEXT_TOKENS <= request.max_tokens <= MOST_CONTEXT_TOKENS:
        raise ToolInputInvalid(
            f"max_tokens is {request.max_tokens}; it must be from {LEAST_CONTEXT_TOKENS} to {MOST_CONTEXT_TOKENS:,}"
        )


def _choose(request: GetQueryContextInput, opened: OpenIndex, toolbox: Toolbox) -> _Chosen:
    """The requested tables, then those that the question is about, then those that join the first of them."""
    chosen = _Chosen()
    database = None if request.database is None else find_database(request.database, opened.tables)
    if request.domain is not None:
        find_domain(request.domain, opened.tables, database)
    for text in request.tables or ():
        table = find_table(text, [each for each in opened.tables if database in (None, each.database)])
        chosen.reasons[name_of(table)] = _REQUESTED
    if request.question and request.question.strip():
        _ask(request.question, request, chosen, opened, toolbox)
    _keep_one_database(chosen, opened, toolbox)
    first = [
        name for number, name in enumerate(chosen.reasons) if number < JOINED_TABLES or _is_requested(name, chosen)
    ]
    between = tables_between(first, opened, toolbox)
    parents = referenced_tables([*first, *between], opened, toolbox)
    # Next to the tables that they join, so that they are not the first to be left out.
    rest = {name: why for name, why in chosen.reasons.items() if name not in first}
    chosen.reasons = parents | {name: chosen.reasons[name] for name in first} | between | rest
    order = [*first, *between, *rest, *parents]
    chosen.reasons = {name: chosen.reasons[name] for name in dict.fromkeys(order)}
    return chosen


def _is_requested(name: str, chosen: _Chosen) -> bool:
    return chosen.reasons[name] == _REQUESTED


def _ask(question: str, request: GetQueryContextInput, chosen: _Chosen, opened: OpenIndex, toolbox: Toolbox) -> None:
    """Add the tables of a question, and what it says."""
    wanted = SearchTablesInput(query=question, database=request.database, domain=request.domain, limit=FOUND_TABLES)
    found = search(wanted, opened, toolbox)
    for table in found.answer.tables:
        if NO_MATCH not in (table.reasons or ()):
            chosen.reasons.setdefault(table.name, "; ".join(table.reasons or ()))
    asked = found.candidates.question
    chosen.terms = frozenset(term for word in asked.words for term in word.terms)
    chosen.missing = [word for word in asked.missing if stem(word) not in _TIME_WORDS]


def _keep_one_database(chosen: _Chosen, opened: OpenIndex, toolbox: Toolbox) -> None:
    """Leave out tables of other databases than the first one's: one statement cannot join them."""
    databases = {name_of(table): table.database for table in opened.tables}
    found = list(dict.fromkeys(databases[name] for name in chosen.reasons))
    if len(found) < 2:
        return
    chosen.reasons = {name: why for name, why in chosen.reasons.items() if databases[name] == found[0]}
    others = ", ".join(map(repr, found[1:]))
    message = f"this is about the database {found[0]!r}; tables of {others} match too: ask again with database"
    chosen.warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))


def _documents(chosen: _Chosen, opened: OpenIndex, toolbox: Toolbox) -> dict[str, TableDocument]:
    """The visible parts of the chosen tables by name, in order, without tables that have left the index."""
    ids = {name_of(table): table.record_id for table in opened.tables if name_of(table) in chosen.reasons}
    found = toolbox.index.documents([ids[name] for name in chosen.reasons], TableDocument)
    return {name: bounded_table(found[ids[name]], opened.bounds) for name in chosen.reasons if ids[name] in found}


def _head(documents: Mapping[str, TableDocument]) -> Iterator[Item]:
    for document in list(documents.values())[:1]:
        dialect = {"postgres": "PostgreSQL", "snowflake": "Snowflake"}[document.database_type]
        text = f"{dialect}, database {escape_text(document.server_database or document.database)}."
        yield Item("the dialect", text)


def _table_items(documents: Mapping[str, TableDocument], terms: Collection[str]) -> Iterator[Item]:
    is_named = _named_by(terms)
    for name, document in documents.items():
        yield Item(name, compact_table(document, is_named))


def _views(documents: Mapping[str, TableDocument]) -> Iterator[Item]:
    """The SQL of the views among some tables."""
    for name, document in documents.items():
        if document.view_definition and len(document.view_definition) <= _MOST_VIEW_CHARS:
            title = one_line(f"{document.schema_}.{document.table}")
            yield Item(f"SQL of {name}", f"-- {title}\n{document.view_definition.strip()}", frozenset((name,)))


def _named_by(terms: Collection[str]) -> Callable[[DocumentedColumn], bool]:
    """Whether terms of a question are in the name of a column, or in a value that it allows."""

    def is_named(column: DocumentedColumn) -> bool:
        if not terms:
            return False
        values = {term for value in column.allowed_values or () for term in index_terms(value)}
        return not (terms_of(column.name) | values).isdisjoint(terms)

    return is_named


def _guidance(documents: Mapping[str, TableDocument], opened: OpenIndex, toolbox: Toolbox) -> Iterator[Item]:
    """Decisions and memories about the first tables, each once."""
    tables: dict[str, IndexedTable] = {name_of(table): table for table in opened.tables if name_of(table) in documents}
    seen: dict[str, None] = {}
    for name in list(documents)[:GUIDED_TABLES]:
        columns = [column.name for column in documents[name].columns]
        for each in guidance_of(tables[name], columns, opened, toolbox):
            if each.id in seen or len(seen) == MAX_GUIDANCE:
                continue
            seen[each.id] = None
            what = "remembered" if each.kind == "memory" else f"{each.kind} {escape_text(each.id)}"
            text = f"- {escape_text(one_line(each.text))} ({what}, {escape_text(each.author)}, {each.age} ago)"
            yield Item(f"{each.kind} {each.id}", text)


def _missing(words: Sequence[str]) -> Iterator[Item]:
    if words:
        yield Item("the missing words", f"Not documented: {', '.join(map(escape_text, words))}.")
