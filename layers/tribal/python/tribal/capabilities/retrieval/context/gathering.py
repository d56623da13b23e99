"""Gathers what SQL for a question needs: tables, joins, definitions, and the words that nothing explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.context.context_items import guidance_of_tables
from tribal.capabilities.retrieval.context.joins_between import are_in, joins_among, referenced_tables, tables_between
from tribal.capabilities.retrieval.definitions.matching import MatchedDefinitions
from tribal.capabilities.retrieval.names import find_database, find_domain, find_table, name_of
from tribal.capabilities.retrieval.searching.query import words_to_find
from tribal.capabilities.retrieval.searching.reading import read_question
from tribal.capabilities.retrieval.searching.search import NO_MATCH, SearchResult, search
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import ToolInputInvalid
from tribal.naming import index_terms
from tribal.questions.reading import Question, is_telling
from tribal_contracts import (
    AgentError,
    ContextJoin,
    GetQueryContextInput,
    GuidanceItem,
    QuestionReading,
    SearchTablesInput,
    TableDocument,
)
from tribal_contracts.retrieval.context import LEAST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS

FOUND_TABLES = 10
"""How many tables a question may bring. By judgement: twice as many as a search returns by default."""
JOINED_TABLES = 4
"""How many of the first tables are joined, with the tables between them."""
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
    words: Mapping[str, Mapping[str, float]]
    """The content words of the question, each with the terms that match it and how certain each is, 0 to 1."""
    question: Question | None
    """The question as it was read; `None` if only tables were asked for."""
    topic: float
    """The probability that the question is about these databases, 0 to 1."""
    needed: Sequence[str]
    """Names of the main tables, and of those between them."""
    missing: Sequence[str]
    """Content words that nothing documented explains."""
    guidance: Sequence[tuple[str, GuidanceItem]]
    """Decisions and memories, each with the table that it is about."""
    warnings: Sequence[AgentError]

    @property
    def reading(self) -> QuestionReading | None:
        """How the question was read, as a contract."""
        return self.question.reading if self.question else None

    @property
    def mentioned_words(self) -> dict[str, int]:
        """By table, how many words of the question name it, one of its columns or one of their values."""
        found: dict[str, dict[int, int]] = {}
        for each in self.question.mentions if self.question else ():
            if each.kind in ("table", "column", "value") and is_telling(each):
                table = next((name for name in self.documents if _is_of(each.name, name)), None)
                if table is not None:
                    found.setdefault(table, {})[each.start] = len(each.text.replace("_", " ").replace(".", " ").split())
        return {table: sum(words.values()) for table, words in found.items()}

    @property
    def in_scope(self) -> float:
        """The probability that the question is about what is documented; 1 if it names any of it."""
        question = self.question
        named = question is not None and any(map(is_telling, question.mentions))
        # Only a catalog is asked which table or column has something.
        asks_place = question is not None and question.intent.kind in ("where", "columns") and bool(question.mentions)
        return 1.0 if named or asks_place or self.guided else self.topic

    @property
    def asks_what_exists(self) -> bool:
        """Whether the question asks what is documented, which is always in scope."""
        return self.question is not None and self.question.intent.kind == "inventory"

    @property
    def guiding(self) -> frozenset[str]:
        """The ids of decisions and memories that have most of what the question is about."""
        return _guiding(self.question, self.words, [item for _, item in self.guidance])

    @property
    def guided(self) -> frozenset[str]:
        """The tables of these decisions and memories."""
        guiding = self.guiding
        return frozenset(table for table, item in self.guidance if item.id in guiding)

    @property
    def terms(self) -> frozenset[str]:
        """Terms of the question, in all their readings."""
        return frozenset().union(*self.words.values())

    def with_first(self, count: int) -> GatheredContext:
        """The same with the first tables only."""
        documents = dict(list(self.documents.items())[:count])
        return replace(self, documents=documents, joins=[join for join in self.joins if are_in(documents, join)])


def _is_of(name: str, table: str) -> bool:
    return name == table or name.startswith(f"{table}.")


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
    guidance = guidance_of_tables(documents, opened, toolbox)
    question, missing, found = None, list[str](), chosen.found
    if found is not None and request.question is not None:
        items = [item for _, item in guidance]
        question = read_question(
            request.question, list(documents.values()), found.candidates, found.domains, found.documented, items
        )
        about = frozenset(question.about)
        unexplained = (word for word in found.candidates.question.missing if word in about)
        guiding = _guiding(question, chosen.words, items)
        said = frozenset(term for each in items if each.id in guiding for term in index_terms(each.text))
        missing = [
            word
            for word in unexplained
            if not chosen.defined.explains(word) and said.isdisjoint(chosen.words.get(word, {}))
        ]
    return GatheredContext(
        documents=documents,
        reasons=chosen.reasons,
        scores=chosen.scores,
        joins=joins_among(documents, chosen.terms, opened, toolbox),
        views=[*(each for each in documents.values() if each.view_definition), *_reading(documents, opened, toolbox)],
        defined=chosen.defined,
        words=chosen.words,
        question=question,
        topic=found.topic if found else 1.0,
        needed=[name for name in chosen.needed if name in documents],
        missing=missing,
        guidance=guidance,
        warnings=[*opened.warnings, *chosen.warnings],
    )


def _guiding(
    question: Question | None, words: Mapping[str, Mapping[str, float]], items: Iterable[GuidanceItem]
) -> frozenset[str]:
    """Return the ids of items that have most of what a question is about, and two words at least."""
    about = question.about if question else []
    terms = frozenset[str]().union(*(words.get(word, {}) for word in about))
    least = max(2, len(about) / 2)
    return frozenset(each.id for each in items if len(terms.intersection(index_terms(each.text))) >= least)


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
    words: dict[str, dict[str, float]] = field(default_factory=dict)
    found: SearchResult | None = None
    needed: Sequence[str] = ()
    defined: MatchedDefinitions = field(default_factory=MatchedDefinitions)
    warnings: list[AgentError] = field(default_factory=list)

    @property
    def terms(self) -> frozenset[str]:
        """Terms of the question, in all their readings."""
        return frozenset().union(*self.words.values())


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
    between = tables_between(first, chosen.terms, opened, toolbox)
    parents = referenced_tables([*first, *between], opened, toolbox)
    reasons = parents | between | chosen.reasons
    # Next to the tables that they join, so that they are not the first to be left out.
    chosen.reasons = {name: reasons[name] for name in dict.fromkeys((*first, *between, *found, *parents))}
    chosen.needed = [*first, *between]
    return chosen


def _ask(question: str, request: GetQueryContextInput, chosen: _Chosen, opened: OpenIndex, toolbox: Toolbox) -> None:
    """Add the tables of a question, and what it says."""
    wanted = SearchTablesInput(query=question, database=request.database, domain=request.domain, limit=FOUND_TABLES)
    found = search(wanted, opened, toolbox)
    asked = found.candidates.question
    defined = found.candidates.definitions
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
        found_as = words_to_find([concept], asked.counts)
        chosen.words[concept.token] = {term: strength for word in found_as for term, strength in word.terms.items()}
    chosen.warnings += found.candidates.warnings
    chosen.defined = defined
    chosen.found = found


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
