"""Gathers what SQL for a question needs: tables, joins, definitions, and the words that nothing explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.context.context_items import guidance_of_tables
from tribal.capabilities.retrieval.context.joins_between import are_in, joins_among, referenced_tables, tables_between
from tribal.capabilities.retrieval.definitions.matching import MatchedDefinitions, cached_embedding, similar
from tribal.capabilities.retrieval.names import find_database, find_domain, find_table, name_of
from tribal.capabilities.retrieval.searching.query import words_to_find
from tribal.capabilities.retrieval.searching.search import NO_MATCH, search
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import StoreError, ToolInputInvalid
from tribal.naming import stem
from tribal_contracts import (
    AgentError,
    ContextJoin,
    GetQueryContextInput,
    GuidanceItem,
    SearchTablesInput,
    TableDocument,
)
from tribal_contracts.retrieval.context import LEAST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS

FOUND_TABLES = 10
"""How many tables a question may bring. By judgement: twice as many as a search returns by default."""
JOINED_TABLES = 4
"""How many of the first tables are joined, with the tables between them."""
TIME_WORDS = frozenset(
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
_COMPUTING_WORDS = frozenset(
    map(
        stem,
        """
        amount average avg best biggest bottom compare compared count counts different distinct distribution earliest
        each fewer fewest first frequently greater greatest group grouped highest largest latest least less longest
        lowest maximum mean median minimum most mostly number numbers often oldest overall per percent percentage
        proportion rank ranked ratio recent share shortest smallest sort sorted sum summary top total totals trend
        unique versus vs worst youngest
        above according across after ago along alphabetically among ascending associated based before belong belonging
        below both common correspond corresponding data database descending during earlier excluding exactly exist
        exists found get given half id identify identifier include included including inclusive later left list main
        name named names neither new older ones only other others otherwise past people please record records related
        relevant respective respectively result results row rows same several show specific table tables taken together
        twice type types within without
        make know live use used take run set long moment now right no until hold one three four five six seven eight
        nine ten hundred thousand million
        """.split(),
    )
)
"""Words about what to compute and how to show it, which need no documentation either."""
_REQUESTED = "it was asked for"
_MOST_VIEWS = 3
"""The most views that are added because they read the tables."""


@dataclass(frozen=True, slots=True)
class GatheredContext:
    """What SQL for a question needs, of what the caller may see."""

    documents: Mapping[str, TableDocument]
    """The tables by qualified name, the most important first."""
    reasons: Mapping[str, str]
    """Why each table is there."""
    scores: Mapping[str, float]
    """How relevant each table that the question is about is, 0 to 1."""
    joins: Sequence[ContextJoin]
    views: Sequence[TableDocument]
    """Views among the tables, and others that read several of them."""
    defined: MatchedDefinitions
    words: Mapping[str, frozenset[str]]
    """The content words of the question, each with the terms that match it."""
    missing: Sequence[str]
    """Content words that nothing documented explains."""
    guidance: Sequence[tuple[str, GuidanceItem]]
    """Decisions and memories, each with the table that it is about."""
    warnings: Sequence[AgentError]

    @property
    def terms(self) -> frozenset[str]:
        """Terms of the question, in all their readings."""
        return frozenset().union(*self.words.values())

    def with_first(self, count: int) -> GatheredContext:
        """The same with the first tables only."""
        documents = dict(list(self.documents.items())[:count])
        return replace(self, documents=documents, joins=[join for join in self.joins if are_in(documents, join)])


def needs_explaining(word: str) -> bool:
    """Whether a word of a question needs documentation; numbers, and words about time or computing, do not."""
    return not word.isdigit() and stem(word) not in TIME_WORDS | _COMPUTING_WORDS


def gather(request: GetQueryContextInput, opened: OpenIndex, toolbox: Toolbox) -> GatheredContext:
    """Gather what SQL for a question, or over some tables, needs.

    Raises:
        ToolInputInvalid: when there is neither a question nor a table, or a limit is out of range.
        TableNotFound: when a table has no such name, or more than one has.
        DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
    """
    _check(request)
    chosen = _choose(request, opened, toolbox)
    documents = _documents(chosen, opened, toolbox)
    return GatheredContext(
        documents=documents,
        reasons=chosen.reasons,
        scores=chosen.scores,
        joins=joins_among(documents, opened, toolbox),
        views=[*(each for each in documents.values() if each.view_definition), *_reading(documents, opened, toolbox)],
        defined=chosen.defined,
        words=chosen.words,
        missing=chosen.missing,
        guidance=guidance_of_tables(documents, opened, toolbox),
        warnings=[*opened.warnings, *chosen.warnings],
    )


def _check(request: GetQueryContextInput) -> None:
    if not (request.question or "").strip() and not request.tables:
        raise ToolInputInvalid("neither a question nor tables are given; write a question, or name tables, or both")
    if not LEAST_CONTEXT_TOKENS <= request.max_tokens <= MOST_CONTEXT_TOKENS:
        raise ToolInputInvalid(
            f"max_tokens is {request.max_tokens}; it must be from {LEAST_CONTEXT_TOKENS} to {MOST_CONTEXT_TOKENS:,}"
        )


@dataclass(slots=True)
class _Chosen:
    """The tables of a context with the reason for each, in order, and what the question says."""

    reasons: dict[str, str] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    missing: Sequence[str] = ()
    defined: MatchedDefinitions = field(default_factory=MatchedDefinitions)
    warnings: list[AgentError] = field(default_factory=list)


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
    found = list(chosen.reasons)
    first = [name for place, name in enumerate(found) if place < JOINED_TABLES or chosen.reasons[name] == _REQUESTED]
    between = tables_between(first, opened, toolbox)
    parents = referenced_tables([*first, *between], opened, toolbox)
    reasons = parents | between | chosen.reasons
    # Next to the tables that they join, so that they are not the first to be left out.
    chosen.reasons = {name: reasons[name] for name in dict.fromkeys((*first, *between, *found, *parents))}
    return chosen


def _ask(question: str, request: GetQueryContextInput, chosen: _Chosen, opened: OpenIndex, toolbox: Toolbox) -> None:
    """Add the tables of a question, and what it says."""
    wanted = SearchTablesInput(query=question, database=request.database, domain=request.domain, limit=FOUND_TABLES)
    found = search(wanted, opened, toolbox)
    asked = found.candidates.question
    defined = _with_queries(found.candidates.definitions, question, opened, toolbox)
    visible = {name_of(table) for table in opened.tables if request.database in (None, table.database)}
    for query in defined.queries:
        for name in query.tables:
            if query.status != "broken" and name in visible:
                chosen.reasons.setdefault(name, f"the verified query {query.file} uses it")
    for table in found.answer.tables:
        if NO_MATCH not in (table.reasons or ()):
            chosen.reasons.setdefault(table.name, "; ".join(table.reasons or ()))
            chosen.scores[table.name] = table.relevance_score
    for concept in asked.concepts:
        terms = (term for word in words_to_find([concept], asked.counts) for term in word.terms)
        chosen.words[concept.spelt] = frozenset(terms)
    chosen.missing = [word for word in asked.missing if needs_explaining(word) and not defined.explains(word)]
    chosen.warnings += found.candidates.warnings
    chosen.defined = defined


def _with_queries(
    defined: MatchedDefinitions, question: str, opened: OpenIndex, toolbox: Toolbox
) -> MatchedDefinitions:
    """The definitions with the verified queries that answer a similar question; search warns if they cannot be read."""
    if toolbox.definitions is None:
        return defined
    try:
        queries = toolbox.definitions(opened.bounds).queries
    except StoreError:
        return defined
    return replace(defined, queries=similar(question, queries, cached_embedding(toolbox.embedder, toolbox.derived)))


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


def _reading(documents: Mapping[str, TableDocument], opened: OpenIndex, toolbox: Toolbox) -> list[TableDocument]:
    """Views outside of the context that read its first tables: those that read most of them, and two at least."""
    counts = Counter(view for each in documents.values() for view in each.read_by or () if view not in documents)
    wanted = [view for view, count in counts.most_common(_MOST_VIEWS) if count > 1]
    ids = {name_of(table): table.record_id for table in opened.tables if name_of(table) in wanted}
    found = toolbox.index.documents([ids[name] for name in wanted if name in ids], TableDocument)
    return [bounded_table(document, opened.bounds) for document in found.values()]
