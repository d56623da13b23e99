"""Find texts about the tables of a hypothesis that contradict the catalog."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.answering.focus import Focus
from tribal.identity.targets import parse_target
from tribal.text_checks.contradictions import (
    CatalogContradiction,
    catalog_contradictions,
    decision_contradictions,
    table_words,
    term_contradictions,
)
from tribal_contracts.interrogation.sessions import Gap


def contradictions_of(focus: Focus) -> Iterator[tuple[str, CatalogContradiction]]:
    """Yield the contradictions about the tables in focus, each with the name of its table."""
    documents = focus.context.documents
    known = table_words(each.table for each in documents.values())
    for name in focus.joined:
        table = documents[name]
        found = [*catalog_contradictions(table, known)]
        for term in focus.context.defined.terms:
            if name in term.tables:
                found += term_contradictions(term, table, known)
        for about, item in focus.context.guidance:
            if about == name:
                found += decision_contradictions(item.text, f"the {item.kind} {item.id!r}", table, known)
        yield from ((name, each) for each in found)


def contradicted(focus: Focus) -> Iterator[Gap]:
    """Yield a gap for each contradiction about a main table, or about one of its relevant columns."""
    for name, each in contradictions_of(focus):
        target = parse_target(each.target)
        matters = [*focus.columns.get(name, ()), *focus.dates.get(name, ())]
        if name in focus.main and target and target.column in (None, *(column.name for column in matters)):
            yield Gap(category="inconsistency", description=each.description, severity="medium", target=each.target)
