"""The data of the page's first view: numbers, example questions, and what to document first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations, islice
from typing import Any, NamedTuple
from urllib.parse import quote

from tribal.documenting.todo import Todo, TodoList, missing, rank
from tribal.identity.table_names import format_name
from tribal.rendering.gaps import needs_description, unclear
from tribal.rendering.web.records import connections
from tribal.rendering.words import number
from tribal_contracts import DatabaseType, DocumentedColumn, TableDocument, VerifiedQuery

LISTED_TABLES = 8
LISTED_QUESTIONS = 6
LISTED_TODO = 6
_VALUE_QUESTIONS = 2
_MOST_MEANINGS = 12
"""With more meanings, a column is no better example: a long list of values is looked up, not read. By judgement."""
_JOINED_TABLES = 30
"""The most connected tables, among which two are chosen that are a few steps apart."""
_STEPS = (2, 3)
_COMPARED_PAIRS = 10
"""The most pairs of tables whose join is tried for a question. By judgement."""
_EMAIL = "email"

Joins = Mapping[str, Collection[str]]
"""The tables that each table is joined to by a declared key."""


class CodedColumn(NamedTuple):
    """A column whose values have documented meanings."""

    rank: tuple[bool, int]
    """Better examples have higher ones: columns that are no key, and those with more meanings."""
    name: str


@dataclass(frozen=True, slots=True)
class TableFacts:
    """Facts about one table for the first view."""

    name: str
    label: str
    """`schema.table`."""
    database: str
    database_type: DatabaseType
    domain: str
    documented_at: str
    source: str
    """Source of its description; `none` if it has no description."""
    described: tuple[str, ...]
    """Sources of the descriptions of its columns that need one."""
    undescribed: int
    """Number of columns that need a description and have none."""
    connections: int
    readers: int
    """Number of views that read it."""
    coded: CodedColumn | None
    """The column whose values are explained best."""
    has_email: bool
    """Whether a column's name says that it holds e-mail addresses."""
    missing: tuple[Todo, ...]


def table_facts(document: TableDocument) -> TableFacts:
    """Collect the facts about a table for the first view."""
    needed = [column for column in document.columns if needs_description(column)]
    described = [column.description.source for column in needed if column.description.text]
    return TableFacts(
        name=document.name,
        label=format_name((document.schema_, document.table)),
        database=document.database,
        database_type=document.database_type,
        domain=document.domain,
        documented_at=document.documented_at,
        source=document.description.source if document.description.text else "none",
        described=tuple(described),
        undescribed=len(needed) - len(described),
        connections=connections(document),
        readers=document.read_by_total or len(document.read_by or ()),
        coded=_most_coded(document.columns),
        has_email=any(_EMAIL in column.name.casefold() for column in document.columns),
        missing=tuple(missing(document)),
    )


def _most_coded(columns: Iterable[DocumentedColumn]) -> CodedColumn | None:
    found: CodedColumn | None = None
    for column in columns:
        meanings = column.value_meanings or {}
        # Numbers that refer to rows are keys, which no one asks the meaning of.
        if len(meanings) < 2 or (column.is_foreign_key and all(map(str.isdecimal, meanings))):
            continue
        rank = (not column.is_foreign_key, min(len(meanings), _MOST_MEANINGS))
        if found is None or rank > found.rank:
            found = CodedColumn(rank, column.name)
    return found


def first_view(
    tables: Sequence[TableFacts],
    todo: TodoList | None = None,
    queries: Sequence[VerifiedQuery] = (),
    related: tuple[TableFacts, TableFacts] | None = None,
) -> dict[str, Any]:
    """Return the data of the first view, as declared in `page/src/data/types.ts`.

    Args:
        tables: every table that the caller may see.
        todo: the list of what to document first; by default, ranked without open questions.
        queries: the verified queries that the caller may see.
        related: two tables for a question about a join; `None` where the page has no view of joins.
    """
    ranked = rank((item for table in tables for item in table.missing), LISTED_TODO) if todo is None else todo
    engines = Counter(dict({(table.database, table.database_type) for table in tables}).values())
    views = {table.name: table.readers for table in tables}
    readers = Counter(views)
    readers.update(name for query in queries for name in query.tables if name in views)
    return {
        "at": max((table.documented_at for table in tables), default="")[:10],
        "engines": dict(sorted(engines.items())),
        **coverage(tables),
        "connected": _most({table.name: table.connections for table in tables}),
        "read": _most(readers),
        "questions": _questions(tables, queries, related),
        "todo": [
            [item.table, item.column or 0, _why(item, views.get(item.table, 0))] for item in ranked.items[:LISTED_TODO]
        ],
    }


def coverage(tables: Iterable[TableFacts]) -> dict[str, Any]:
    """Return the numbers of tables and of columns that need a description, and of those that have one, by source."""
    listed = list(tables)
    columns = Counter(source for table in listed for source in table.described)
    return {
        "tables": {"n": len(listed), "by": _by_source(Counter(table.source for table in listed))},
        "columns": {"n": columns.total() + sum(table.undescribed for table in listed), "by": _by_source(columns)},
    }


def _by_source(counts: Counter[str]) -> dict[str, int]:
    return {source: counts[source] for source in ("human", "comment", "model", "derived")}


def _most(counts: Mapping[str, int]) -> list[list[Any]]:
    found = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [[name, count] for name, count in found[:LISTED_TABLES] if count]


def _why(item: Todo, views: int) -> str:
    """Why a description matters, in a few words."""
    if item.blocked.count:
        return f"blocks {number(item.blocked.count, 'question')}"
    if item.tables_that_refer:
        verb = "refers" if item.tables_that_refer == 1 else "refer"
        return f"{number(item.tables_that_refer, 'table')} {verb} to {'its table' if item.column else 'it'}"
    if views:
        return f"{'its table is ' if item.column else ''}read by {number(views, 'view')}"
    return "its name is unclear" if item.column and unclear(item.column) else "has no description"


def _questions(
    tables: Sequence[TableFacts], queries: Sequence[VerifiedQuery], related: tuple[TableFacts, TableFacts] | None
) -> list[list[str]]:
    """Questions that the page answers, each with the address of its answer."""
    others = [*_about_values(tables), *_about_join(related), *_about_emails(tables)]
    verified = [*_verified(queries, {table.name for table in tables})]
    return [*verified[: LISTED_QUESTIONS - len(others)], *others]


def _verified(queries: Iterable[VerifiedQuery], names: Collection[str]) -> Iterator[list[str]]:
    """The questions of current queries, each of another table."""
    shown = set()
    for query in queries:
        first = next((name for name in query.tables if name in names), None)
        if query.status == "current" and query.questions and first is not None and first not in shown:
            shown.add(first)
            yield [query.questions[0], f"{page_address('table', first)}?section=questions"]


def _about_values(tables: Iterable[TableFacts]) -> Iterator[list[str]]:
    # Backticks mark a name in a question.
    coded = [(table, table.coded) for table in tables if table.coded is not None and "`" not in table.coded.name]
    coded.sort(key=lambda each: each[0].name)
    coded.sort(key=lambda each: (each[1].rank, each[0].connections), reverse=True)
    for table, column in coded[:_VALUE_QUESTIONS]:
        yield [f"What does `{column.name}` of {table.label} mean?", page_address("table", table.name, column.name)]


def related_tables(
    tables: Iterable[TableFacts], keys: Iterable[tuple[str, str]], is_clear: Callable[[str, str], bool]
) -> tuple[TableFacts, TableFacts] | None:
    """Choose two tables for a question about a join: much connected ones of two domains, a few steps apart.

    Args:
        tables: every table that the caller may see.
        keys: the two tables that each declared key joins.
        is_clear: whether the answer about two tables needs no warning.
    """
    joins = _joined_tables(keys)
    connected = [table for table in tables if table.name in joins]
    connected.sort(key=lambda table: (-table.connections, table.name))
    pairs = sorted(
        combinations(connected[:_JOINED_TABLES], 2), key=lambda pair: -sum(each.connections for each in pair)
    )
    steps = lru_cache(partial(_steps_from, joins=joins))
    apart = (
        (one, other)
        for one, other in pairs
        if one.database == other.database and one.domain != other.domain and steps(one.name).get(other.name) in _STEPS
    )
    return next((pair for pair in islice(apart, _COMPARED_PAIRS) if is_clear(pair[0].name, pair[1].name)), None)


def _steps_from(start: str, joins: Joins) -> Mapping[str, int]:
    steps, last = {start: 0}, [start]
    for count in range(1, max(_STEPS) + 1):
        last = [
            name for name in dict.fromkeys(each for one in last for each in joins.get(one, ())) if name not in steps
        ]
        steps.update(dict.fromkeys(last, count))
    return steps


def _about_join(related: tuple[TableFacts, TableFacts] | None) -> Iterator[list[str]]:
    if related is not None:
        one, other = related
        yield [f"How do {one.label} and {other.label} relate?", page_address("join", one.name, other.name)]


def _about_emails(tables: Iterable[TableFacts]) -> Iterator[list[str]]:
    if sum(table.has_email for table in tables) > 1:
        yield ["Which tables hold e-mail addresses?", f"{page_address('search', _EMAIL)}?what=columns"]


def page_address(*parts: str) -> str:
    """The address of a view in the page, encoded as `encodeURIComponent` does."""
    return "#/" + "/".join(quote(part, safe="!~*'()", errors="replace") for part in parts)


def _joined_tables(keys: Iterable[tuple[str, str]]) -> Joins:
    """The tables that each table is joined to, in the order of the keys."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for one, other in keys:
        if one != other:
            found[one][other] = None
            found[other][one] = None
    return {name: tuple(others) for name, others in found.items()}
