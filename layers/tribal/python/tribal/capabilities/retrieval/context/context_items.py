"""The items of a context: tables, views, queries, metrics, terms, decisions and memories as text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from tribal.capabilities.retrieval.context.packing import Item
from tribal.capabilities.retrieval.definitions.matching import MatchedDefinitions
from tribal.capabilities.retrieval.guidance import guidance_of
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.repeated_tables import terms_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.identity.table_states import change_text
from tribal.naming import index_terms
from tribal.ports import IndexedTable
from tribal.rendering.compact_table import compact_table
from tribal.rendering.markdown import code_span, escape_text, one_line
from tribal.rendering.quotations import defuse
from tribal.rendering.words import DIALECTS, listing
from tribal_contracts import (
    DefinedMetric,
    DefinedTerm,
    DocumentedColumn,
    GuidanceItem,
    TableDocument,
    VerifiedQuery,
)

GUIDED_TABLES = 3
"""How many of the first tables memories and decisions are looked up for."""
MAX_GUIDANCE = 5
_MOST_SQL_CHARS = 2_000
"""The longest SQL of a view or a query that is shown. By judgement: 500 tokens."""


def head(documents: Mapping[str, TableDocument]) -> Iterator[Item]:
    """The dialect and the database."""
    for document in list(documents.values())[:1]:
        database = escape_text(document.server_database or document.database)
        yield Item("the dialect", f"{DIALECTS[document.database_type]}, database {database}.")


def table_items(
    documents: Mapping[str, TableDocument], terms: Collection[str], needed: Collection[str]
) -> Iterator[Item]:
    """Each table as a compact `CREATE TABLE`, with lines for the columns that the terms of a question name."""
    is_named = _named_by(terms)
    for name, document in documents.items():
        brief = compact_table(document, is_named, brief=True) if name in needed else ""
        yield Item(name, compact_table(document, is_named), brief=brief, needed=name in needed)


def _named_by(terms: Collection[str]) -> Callable[[DocumentedColumn], bool]:
    """Whether terms of a question are in the name of a column, in a value that it allows, or in its meaning."""

    def is_named(column: DocumentedColumn) -> bool:
        if not terms:
            return False
        meanings = (each.text for each in (column.value_meanings or {}).values())
        values = {term for text in (*(column.allowed_values or ()), *meanings) for term in index_terms(text)}
        return not (terms_of(column.name) | values).isdisjoint(terms)

    return is_named


def view_items(views: Iterable[TableDocument]) -> Iterator[Item]:
    """The SQL of views."""
    for view in views:
        if view.view_definition and len(view.view_definition) <= _MOST_SQL_CHARS:
            title = one_line(f"{view.schema_}.{view.table}")
            yield Item(f"SQL of {view.name}", f"-- {title}\n{view.view_definition.strip()}")


def query_items(queries: Iterable[VerifiedQuery]) -> Iterator[Item]:
    """Verified queries with their questions, and whether they are still right."""
    for query in queries:
        if len(query.sql) > _MOST_SQL_CHARS:
            continue
        verified = [f"verified {query.verified}"] if query.verified else []
        by = [f"by {query.owner}"] if query.owner else []
        changed = listing([each.name for each in query.changes])
        state = {
            "current": "current",
            "changed": f"changed: since then {changed} changed, check it" if changed else "changed: check it",
            "broken": "broken: it no longer fits the tables",
        }[query.status]
        questions = [f"-- {one_line(question)}" for question in query.questions]
        about = one_line("; ".join(filter(None, (" ".join([*verified, *by]), state))))
        lines = [*questions, f"-- ({about})", query.sql.strip()]
        yield Item(query.file, "\n".join(lines))


def definition_items(found: MatchedDefinitions) -> Iterator[Item]:
    """Metrics and terms, each in one line of Markdown."""
    for metric in found.metrics:
        yield Item(f"metric {metric.name}", _metric(metric))
    for term in found.terms:
        yield Item(f"term {term.name}", _term(term))


def _metric(metric: DefinedMetric) -> str:
    where = f" where {' and '.join(map(code_span, metric.filters))}" if metric.filters else ""
    time = f", by {code_span(metric.time_column)}" if metric.time_column else ""
    tables = listing([code_span(name) for name in metric.tables])
    stale = " It no longer fits these tables." if metric.status == "stale" else ""
    return (
        f"- {escape_text(metric.name)} = {code_span(metric.expression)}{where} over {tables}{time}:"
        f" {escape_text(defuse(metric.description))}{stale}"
    )


def _term(term: DefinedTerm) -> str:
    named = [*term.columns, *term.tables]
    where = f" ({listing([code_span(name) for name in named])})" if named else ""
    return f"- {escape_text(term.name)}: {escape_text(defuse(term.definition))}{where}"


def guidance_of_tables(
    documents: Mapping[str, TableDocument], opened: OpenIndex, toolbox: Toolbox
) -> list[tuple[str, GuidanceItem]]:
    """Decisions and memories about the first tables, each once, with the table that it is about."""
    tables: dict[str, IndexedTable] = {name_of(table): table for table in opened.tables if name_of(table) in documents}
    found: dict[str, tuple[str, GuidanceItem]] = {}
    for name in list(documents)[:GUIDED_TABLES]:
        columns = [column.name for column in documents[name].columns]
        for each in guidance_of(tables[name], columns, opened, toolbox):
            found.setdefault(each.id, (name, each))
    return list(found.values())[:MAX_GUIDANCE]


def guidance_items(guidance: Iterable[tuple[str, GuidanceItem]], needed: Collection[str]) -> Iterator[Item]:
    """Each decision or memory in one line of Markdown; those of the needed ids are shown before other things."""
    for _, each in guidance:
        what = "remembered" if each.kind == "memory" else f"{each.kind} {escape_text(each.id)}"
        since = "".join(f"; since then, {escape_text(change_text(one))}" for one in each.changed_tables or ())
        text = f"- {escape_text(defuse(each.text))} ({what}, {escape_text(each.author)}, {each.age} ago{since})"
        yield Item(f"{each.kind} {each.id}", text, needed=each.id in needed)


def missing_words(words: Sequence[str]) -> Iterator[Item]:
    """The words of a question that nothing documented explains."""
    if words:
        yield Item("the missing words", f"Not documented: {', '.join(map(escape_text, words))}.")
