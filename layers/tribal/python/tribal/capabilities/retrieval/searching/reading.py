"""Reads a question against the tables that were found for it, and what else the caller may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Protocol

from tribal.capabilities.retrieval.definitions.matching import MatchedDefinitions
from tribal.capabilities.retrieval.searching.candidates import SearchCandidates
from tribal.capabilities.retrieval.searching.query import Concept
from tribal.capabilities.retrieval.searching.repeated_tables import terms_of as terms_of_name
from tribal.identity.table_names import TableIdentity
from tribal.identity.targets import target_name
from tribal.naming import index_terms
from tribal.naming.tokens import terms_of
from tribal.questions.mentions import Name, Names, is_said
from tribal.questions.reading import Question, Vocabulary, read
from tribal.questions.words import question_words, stems
from tribal_contracts import Description, GuidanceItem, ValueMeaning
from tribal_contracts.retrieval.questions import Explanation, Mention

_MOST_VALUE_WORDS = 4
"""The most words of a value or its meaning that a question may name. By judgement."""


class ReadColumn(Protocol):
    """What is read of a column."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> Description: ...
    @property
    def allowed_values(self) -> list[str] | None: ...
    @property
    def value_meanings(self) -> dict[str, ValueMeaning] | None: ...


class ReadTable(Protocol):
    """What is read of a table."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> Description: ...
    @property
    def columns(self) -> Sequence[ReadColumn]: ...


def read_question(
    question: str,
    tables: Sequence[ReadTable],
    found: SearchCandidates,
    domains: Iterable[str],
    documented: Set[str],
    guidance: Iterable[GuidanceItem] = (),
) -> Question:
    """Read a question.

    Args:
        question: as it was asked.
        tables: those that were found, the most likely needed first.
        found: the candidates among which they are.
        domains: names of the domains that the caller may see.
        documented: the terms of the question that the tables have anywhere.
        guidance: decisions and memories about the tables.
    """
    said = frozenset(stems(question_words(question)))
    names = [each for table in tables for each in _names_of(table, said, qualified="." in question)]
    names += [Name("domain", each, (each,)) for each in domains]
    names += _definitions(found.definitions)
    names += [Name("memory" if each.kind == "memory" else "decision", each.id, (each.id,)) for each in guidance]
    readings = {each.token: frozenset(_readings(each)) for each in found.question.concepts}
    terms = _explained(tables, said.union(*readings.values()), documented)
    similar = {word for word, others in readings.items() if not others.isdisjoint(terms)}
    read_as = read(question, Vocabulary(Names(names), terms, similar.__contains__))
    answered = [
        Mention(kind="query", name=query.file, text=question, start=0, exact=question.strip() in query.questions)
        for query, _ in found.definitions.similar
    ]
    return Question(read_as.intent, [*read_as.mentions, *answered], read_as.words)


def _names_of(table: ReadTable, said: frozenset[str], *, qualified: bool) -> Iterator[Name]:
    """What a question with these stems may name of a table; with its schema or table only if the question has a dot."""
    identity = TableIdentity.parse(table.name)
    schema = f"{identity.schema}.{identity.table}"
    yield Name("table", table.name, (identity.table, schema, table.name) if qualified else (identity.table,))
    for column in table.columns:
        values = [value for value in _values(column) if is_said(value, said)]
        if not values and not is_said(column.name, said):
            continue
        full = target_name(identity, column.name)
        spellings = (column.name, f"{identity.table}.{column.name}", f"{schema}.{column.name}", full)
        yield Name("column", full, spellings if qualified else spellings[:1])
        for value in values:
            yield Name("value", f"{full} = {value}", (value,))


def _values(column: ReadColumn) -> list[str]:
    if not column.allowed_values and not column.value_meanings:
        return []
    values = [*(column.allowed_values or ()), *(each.text for each in (column.value_meanings or {}).values())]
    # Numbers select rows in most questions.
    return [each for each in values if not each.isdecimal() and 0 < len(each.split()) <= _MOST_VALUE_WORDS]


def _definitions(found: MatchedDefinitions) -> Iterator[Name]:
    for metric in found.metrics:
        yield Name("metric", metric.name, (metric.name, *metric.synonyms))
    for term in found.terms:
        yield Name("term", term.name, (term.name, *term.synonyms))


def _explained(tables: Sequence[ReadTable], wanted: Set[str], documented: Set[str]) -> dict[str, Explanation]:
    """What each wanted term is first found in: the name of a table, a column, a value, or a text."""
    found: dict[str, Explanation] = {}
    columns = [column for table in tables for column in table.columns]
    places: tuple[tuple[Explanation, Iterable[Iterable[str]]], ...] = (
        ("name", (terms_of_name(TableIdentity.parse(table.name).table) for table in tables)),
        ("column", (terms_of_name(column.name) for column in columns)),
        ("value", (_value_terms(value) for column in columns for value in _values(column))),
        ("text", [documented]),
    )
    for kind, texts in places:
        left = wanted - found.keys()
        if left:
            found |= dict.fromkeys((term for text in texts for term in text if term in left), kind)
    return found


# Tables have many columns of the same values.
@lru_cache(maxsize=16_384)
def _value_terms(value: str) -> frozenset[str]:
    return frozenset(index_terms(value))


def _readings(concept: Concept) -> Iterator[str]:
    """The terms of other readings of a word: its long form, its right spelling, a synonym, a longer word."""
    words = [*concept.long_form, *concept.related, *filter(None, [concept.correction])]
    return chain(terms_of(words), concept.wholes, concept.compounds, concept.characters)
