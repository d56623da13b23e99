"""What a question is about: its main tables, the columns that matter, and the words that none of them explains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.capabilities.retrieval.context.gathering import GatheredContext
from tribal.capabilities.retrieval.searching.repeated_tables import terms_of
from tribal.naming import index_terms, split_identifier, stem, tokenize_text
from tribal.questions.reading import FRAMING
from tribal.sql.type_families import TypeFamily, type_family
from tribal_contracts import DocumentedColumn, TableDocument

MAIN_TABLES = 4
_FIRST_TABLES = 3
"""How many of the most relevant tables may come first."""
COLUMNS = 5
"""The most columns of a table that are said to matter."""
DATES = 3
"""The most date columns of a table that a question about time brings."""
_DATE_FAMILIES: frozenset[TypeFamily] = frozenset(("date", "instant", "local_time"))
_DATE_NAMES = frozenset(("date", "year", "month", "timestamp", "clock"))
"""Words in names of columns that hold a date, or a part of one."""
_RIVAL = 0.97
"""The share of the first table's score from which another one is as relevant. By judgement."""
_QUOTED = re.compile(r"""["'\u201c\u2018]([^"'\u201d\u2019]{1,200})["'\u201d\u2019]""")
_CAPITALISED = re.compile(r"(?<=[a-z0-9,;:)] )[A-Z][\w-]*(?: [A-Z][\w-]*)*")


@dataclass(frozen=True, slots=True)
class Focus:
    """What a question is about."""

    question: str
    context: GatheredContext
    main: Mapping[str, TableDocument]
    """The tables that together have most of its words, by name, the most relevant first."""
    joined: Sequence[str]
    """The main tables, and those of the context between them."""
    reached: frozenset[str]
    """The main tables that keys join to the first one."""
    rivals: Sequence[str]
    """Other tables that have the same words in the same places as the first one, and score as high."""
    columns: Mapping[str, Sequence[DocumentedColumn]]
    """The columns of each main table that its words name."""
    dates: Mapping[str, Sequence[DocumentedColumn]]
    """The date columns of each main table; empty for a question that is not about time."""
    uncovered: Sequence[str]
    """Content words that neither the main tables nor a definition have."""
    asks_time: bool
    is_named: bool
    """Whether a word of the question is in the name, a column or a value of a main table."""


def focus_on(question: str, context: GatheredContext) -> Focus:
    """Read a question against its context."""
    read_words = {each.word: each.explained_by for each in context.question.words} if context.question else {}
    asks_time = "time" in read_words.values()
    words = {word: terms for word, terms in context.words.items() if read_words.get(word) not in FRAMING}
    scored = [name for name in context.documents if name in context.scores]
    confirmed, mentions = {*context.defined.tables(), *context.guided}, context.mentioned_words
    candidates = sorted(scored, key=lambda name: (name not in confirmed, -mentions.get(name, 0), -context.scores[name]))
    candidates = candidates or list(context.documents)[:1]
    strengths = {name: _strengths(context.documents[name], words) for name in candidates}
    near = _neighbours(context)
    confirmed_by_query = [name for name in candidates if name in context.defined.answering_tables]
    chosen = confirmed_by_query[:MAIN_TABLES] or _main_tables(candidates, strengths, near)
    main = {name: context.documents[name] for name in chosen}
    columns = {name: _columns(table, words, context) for name, table in main.items()}
    values = _values(question)
    covered = {word for name in main for word, rank in strengths[name].items() if rank}
    ways = {name: _way(near, next(iter(main)), name) for name in main}
    return Focus(
        question=question,
        context=context,
        main=main,
        joined=list(dict.fromkeys((*main, *(each for way in ways.values() for each in way)))),
        reached=frozenset(name for name, way in ways.items() if way),
        rivals=_rivals(list(main), strengths, near, context),
        columns=columns,
        dates={name: _dates(table, columns[name]) if asks_time else [] for name, table in main.items()},
        uncovered=[
            word for word in words if word not in covered and word not in values and not context.defined.explains(word)
        ],
        asks_time=asks_time,
        is_named=any(mentions.get(name) for name in main)
        or any(rank > 1 for name in main for rank in strengths[name].values()),
    )


def _values(question: str) -> frozenset[str]:
    """The words that are values rather than names: those in quotes, and capitalised ones within a sentence."""
    found = [word for match in _QUOTED.finditer(question) for word in tokenize_text(match[1])]
    found += [word for match in _CAPITALISED.finditer(question) for word in tokenize_text(match[0])]
    return frozenset(found)


def _main_tables(
    candidates: Sequence[str], strengths: Mapping[str, Mapping[str, int]], near: Mapping[str, Sequence[str]]
) -> list[str]:
    """The most relevant table, then those that have words which the ones before lack or have less plainly.

    If no key joins them all, another relevant table comes first with which they have as many words and are joined.

    Args:
        candidates: names of tables, the most relevant first.
        strengths: where each of them has each word.
        near: the tables that keys join to each table.
    """
    best: list[str] = []
    for first in candidates[:_FIRST_TABLES]:
        chosen = _grown(first, candidates, strengths, near)
        is_joined = all(_way(near, first, name) for name in chosen)
        if not best or (is_joined and _covered(chosen, strengths) >= _covered(best, strengths)):
            best = chosen
        if is_joined:
            break
    return best


def _grown(
    first: str,
    candidates: Sequence[str],
    strengths: Mapping[str, Mapping[str, int]],
    near: Mapping[str, Sequence[str]],
) -> list[str]:
    """A table, and those that add most to it, one after the other."""
    chosen = [first]
    while len(chosen) < MAIN_TABLES:
        best = {word: max(strengths[name][word] for name in chosen) for word in strengths[first]}
        gains = {
            name: _gain(strengths[name], best, is_joined=bool(_way(near, first, name)))
            for name in candidates
            if name not in chosen
        }
        name = max(gains, key=lambda each: gains[each], default="")
        if not gains.get(name):
            break
        chosen.append(name)
    return chosen


def _covered(chosen: Sequence[str], strengths: Mapping[str, Mapping[str, int]]) -> int:
    """How many words some tables have."""
    return sum(any(strengths[name][word] for name in chosen) for word in strengths[chosen[0]])


def _rivals(
    main: Sequence[str],
    strengths: Mapping[str, Mapping[str, int]],
    near: Mapping[str, Sequence[str]],
    context: GatheredContext,
) -> list[str]:
    first = next(iter(main), None)
    if first is None or first not in context.scores:
        return []
    return [
        name
        for name, score in context.scores.items()
        if name in context.documents
        and name not in main
        and context.documents[name].copy_of is None
        and context.documents[name].view_definition is None
        and score >= _RIVAL * context.scores[first]
        and name not in near[first]
        and strengths[name] == strengths[first]
    ]


def _neighbours(context: GatheredContext) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {name: [] for name in context.documents}
    for join in context.joins:
        child, parent = join.tables
        near[child].append(parent)
        near[parent].append(child)
    return near


def _way(near: Mapping[str, Sequence[str]], start: str, end: str) -> list[str]:
    """The shortest way between two tables; empty if nothing joins them."""
    before = {start: start}
    for name in (queue := [start]):
        for other in near[name]:
            if other not in before:
                before[other] = name
                queue.append(other)
    way = [end] if end in before else []
    while way and way[-1] != start:
        way.append(before[way[-1]])
    return way


def _gain(strengths: Mapping[str, int], best: Mapping[str, int], *, is_joined: bool) -> int:
    """What a table adds to those chosen; one that nothing joins to them has to be named by a word that they lack."""
    if is_joined:
        return sum(strengths[word] - best[word] for word in best if strengths[word] > max(best[word], 1))
    return sum(strengths[word] == 3 and best[word] < 2 for word in best)


def _strengths(table: TableDocument, words: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Where a table has each word: 3 in its name, 2 in its columns or their values, 1 in its texts, 0 nowhere.

    Flags and codes of a table that no word names count as texts: many tables have the same ones.
    """
    name = terms_of(table.table)
    is_named = any(terms & name for terms in words.values())
    columns, texts = set[str](), set[str]()
    for column in table.columns:
        (columns if is_named or not _is_flag(column) else texts).update(_column_terms(column))
    for text in (table.description.text, *table.notes, *(column.description.text for column in table.columns)):
        texts.update(index_terms(text))
    places = {3: name, 2: columns, 1: texts}
    return {word: next((rank for rank, has in places.items() if terms & has), 0) for word, terms in words.items()}


def _is_flag(column: DocumentedColumn) -> bool:
    return bool(column.allowed_values) or type_family(column.base_type or column.type) == "boolean"


def _column_terms(column: DocumentedColumn) -> frozenset[str]:
    meanings = (each.text for each in (column.value_meanings or {}).values())
    return terms_of(column.name) | {
        term for text in (*(column.allowed_values or ()), *meanings) for term in index_terms(text)
    }


def _columns(
    table: TableDocument, words: Mapping[str, frozenset[str]], context: GatheredContext
) -> list[DocumentedColumn]:
    """The columns that words name, best first: by name or value, then by description.

    A word about computing, such as "total", names only a column of exactly that name.
    """
    own = terms_of(table.table)
    spelt = {stem(word) for word in context.words if word not in words}

    def score(column: DocumentedColumn) -> int:
        named = _column_terms(column) - own
        is_derived = column.description.source == "derived"
        said = frozenset(() if is_derived else index_terms(column.description.text))
        exact = 2 * (not column.is_primary_key and stem(column.name.casefold()) in spelt)
        return exact + sum(2 if terms & named else 1 if (terms - own) & said else 0 for terms in words.values())

    ranked = sorted(((-score(column), place) for place, column in enumerate(table.columns)))
    return [table.columns[place] for rank, place in ranked[:COLUMNS] if rank < 0]


def _dates(table: TableDocument, columns: Sequence[DocumentedColumn]) -> list[DocumentedColumn]:
    """Date columns, first those that the question names."""
    dates = [
        each
        for each in table.columns
        if type_family(each.base_type or each.type) in _DATE_FAMILIES
        or not _DATE_NAMES.isdisjoint(split_identifier(each.name))
    ]
    return sorted(dates, key=lambda each: each not in columns)[:DATES]
