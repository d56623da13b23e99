"""Statements of an answer, each from one source: tables, columns, joins, definitions, decisions and memories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from tribal.answering.focus import Focus
from tribal.identity.addresses import Address
from tribal.identity.table_names import TableIdentity
from tribal.identity.table_states import change_text
from tribal.identity.targets import target_name
from tribal.joins.outline import row_keys
from tribal.naming import index_terms
from tribal.rendering.markdown import one_line
from tribal.rendering.quotations import quote, quote_if_misleading
from tribal.rendering.words import further_meanings, listing, meaning_sources, shorten
from tribal.sql.type_families import short_type
from tribal_contracts import (
    ContextJoin,
    DefinedMetric,
    DefinedTerm,
    DocumentedColumn,
    DomainInfo,
    GuidanceItem,
    TableDocument,
    VerifiedQuery,
)
from tribal_contracts.answering.answers import SourceKind

TEXT_CHARS = 400
"""The most characters of a description that a statement repeats. By judgement."""
_VALUES = 12
_NAMED_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that the documentation says, and what it was taken from."""

    text: str
    about: str
    kind: SourceKind
    source: str
    """The name of its source."""
    uri: str


def about_domain(domain: DomainInfo) -> Statement:
    """State what a domain is about and how many tables it has."""
    tables = f"{domain.table_count:,} {'table' if domain.table_count == 1 else 'tables'}"
    text = f"{domain.name}: {tables} in {listing(domain.databases)}. {_said(domain.description)}"
    uri = str(Address("domain", (domain.databases[0], domain.name)))
    return Statement(one_line(text).strip(), domain.name, "domain", domain.name, uri)


def definitions(focus: Focus) -> Iterator[Statement]:
    """The metrics, terms and verified queries that a question is about."""
    defined = focus.context.defined
    yield from map(_metric, defined.metrics)
    yield from map(_term, defined.terms)
    yield from map(_query, defined.queries)


def remarks(focus: Focus, tables: Collection[str]) -> Iterator[Statement]:
    """Decisions and memories about some tables that have most of the question's subject."""
    known = [focus.matches[name] for name in tables if name in focus.matches]
    wanted = [word for word in focus.asked if not all(word.text in each.named for each in known)]
    for about, item in focus.context.guidance:
        said = frozenset(index_terms(item.text))
        if about in tables and wanted and sum(word.within(said) == 1.0 for word in wanted) >= len(wanted) / 2:
            yield _guidance(item, about)


def about_table(table: TableDocument) -> Statement:
    """What a table is; of one that nothing describes, what identifies a row."""
    text = _said(table.description.text)
    row = row_of(table)
    if text or row is None:
        said = text or "nothing describes it."
        return of_table(table, table.name, f"{short_name(table.name)}: {said}")
    return row


def row_of(table: TableDocument) -> Statement | None:
    """What identifies a row of a table; `None` where no key does."""
    keys = row_keys(table)
    if not keys:
        return None
    columns = listing([one_line(name) for name in keys[0]], limit=_NAMED_COLUMNS)
    return of_table(table, table.name, f"A row of {short_name(table.name)} is identified by {columns}.")


def about_column(table: TableDocument, column: DocumentedColumn, *, every_value: bool = False) -> Statement:
    """The type of a column, what is said of it, and which values it may have."""
    optional = "may be empty" if column.nullable and table.kind == "table" else ""
    kind = ", ".join(filter(None, (one_line(short_type(column.type)), optional)))
    text = f"{short_column_name(table, column)} ({kind})"
    # Rules describe a column by its values, which follow anyway.
    lists_values = column.description.source == "derived" and bool(column.allowed_values)
    said = "" if lists_values else _said(column.description.text)
    values = values_of(column, limit=len(column.allowed_values or ()) if every_value else _VALUES)
    said = f"{text}: {said}" if said else f"{text}."
    return of_table(table, column_name(table, column), " ".join(filter(None, (said, values))))


def about_value(table: TableDocument, column: DocumentedColumn, value: str) -> Statement:
    """What a value of a column means."""
    meaning = (column.value_meanings or {})[value]
    source = meaning_sources({value: meaning}).removeprefix("; meanings ")
    text = f"{one_line(value)} in {short_column_name(table, column)}: {one_line(meaning.text)}"
    return of_table(table, column_name(table, column), f"{text}{f' ({source})' if source else ''}.")


def values_of(column: DocumentedColumn, limit: int = _VALUES) -> str:
    """The allowed values of a column, with their meanings, and whether there are others; empty if none are listed."""
    listed = column.allowed_values or []
    if not listed:
        return ""
    meanings = further_meanings(column.value_meanings, column.description.source)
    shown = [
        f"{one_line(value)} ({one_line(meanings[value].text)})" if value in meanings else one_line(value)
        for value in listed
    ]
    if column.allowed_values_complete is False:
        start, end = "Values such as", "; there may be others"
    else:
        end = ""
        start = "Its values are" if column.allowed_values_from == "lookup" else "It allows only"
    return f"{start} {listing(shown, limit=limit, last='or')}{end}{meaning_sources(meanings)}."


def joins(found: Iterable[ContextJoin], among: Collection[str]) -> Iterator[Statement]:
    """The joins between some tables."""
    for join in found:
        child, parent = join.tables
        if {child, parent} <= {*among}:
            how = "One row" if join.cardinality == "one_to_one" else "Many rows"
            likely = " No key is declared; this one is likely." if join.inferred else ""
            text = f"{how} of {short_name(child)} may belong to one row of {short_name(parent)}: {join.sql}.{likely}"
            yield Statement(text, f"{child} and {parent}", "join", f"{child} and {parent}", table_uri(child))


def _metric(metric: DefinedMetric) -> Statement:
    where = f" where {' and '.join(map(one_line, metric.filters))}" if metric.filters else ""
    over = listing([short_name(name) for name in metric.tables])
    time = f", by {one_line(metric.time_column)}" if metric.time_column else ""
    stale = " It no longer fits these tables." if metric.status == "stale" else ""
    text = f"{metric.name} is {metric.expression}{where} over {over}{time}: {_said(metric.description)}{stale}"
    return Statement(one_line(text), metric.name, "metric", metric.name, f"{metric.file}#L{metric.line}")


def _term(term: DefinedTerm) -> Statement:
    named = listing([*map(one_line, term.columns), *map(short_name, term.tables)])
    text = f"{term.name}: {_said(term.definition)}{f' See {named}.' if named else ''}"
    return Statement(one_line(text), term.name, "term", term.name, f"{term.file}#L{term.line}")


def _query(query: VerifiedQuery) -> Statement:
    verified = f", verified on {query.verified}" if query.verified else ""
    owner = f"; owner: {query.owner}" if query.owner else ""
    state = {
        "current": "",
        "changed": " Its tables have changed since: check it.",
        "broken": " It no longer fits the tables.",
    }[query.status]
    text = f"A verified query answers {quote(shorten(query.questions[0], TEXT_CHARS))}{verified}{owner}.{state}"
    return Statement(one_line(text), query.file, "query", query.file, f"{query.file}#L{query.line}")


def _guidance(item: GuidanceItem, table: str) -> Statement:
    changed = "".join(f" Since then: {change_text(each)}." for each in item.changed_tables or ())
    what = "Remembered" if item.kind == "memory" else f"{item.kind} {item.id}"
    text = one_line(f"{what}, by {item.author} {item.age} ago: {_said(item.text)}{changed}")
    kind: SourceKind = "memory" if item.kind == "memory" else "decision"
    return Statement(text, table, kind, item.id, f"{kind}:{item.id}")


def of_table(table: TableDocument, about: str, text: str) -> Statement:
    """State something that the document of a table says."""
    return Statement(text, about, "table", table.name, table_uri(table.name))


def table_uri(name: str) -> str:
    """The URI of a table's resource."""
    identity = TableIdentity.parse(name)
    return str(Address("table", (identity.database, identity.schema, identity.table)))


def short_name(name: str) -> str:
    """A table's name without its database."""
    identity = TableIdentity.parse(name)
    return one_line(f"{identity.schema}.{identity.table}")


def short_column_name(table: TableDocument, column: DocumentedColumn) -> str:
    """A column's name without its database."""
    return f"{short_name(table.name)}.{one_line(column.name)}"


def column_name(table: TableDocument, column: DocumentedColumn) -> str:
    """A column's qualified name."""
    return target_name(TableIdentity.parse(table.name), column.name)


def _said(text: str) -> str:
    """A text in one line that ends as a sentence."""
    line = shorten(one_line(text), TEXT_CHARS)
    return quote_if_misleading(line if not line or line[-1] in ".!?…)" else f"{line}.")
