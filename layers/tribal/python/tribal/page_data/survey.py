"""The data about all tables that lists need, collected in one pass over the documents of an index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.definitions.visible import visible_definitions
from tribal.capabilities.retrieval.domains import domain_documents
from tribal.capabilities.retrieval.errors import DomainNotFound
from tribal.capabilities.retrieval.join_path import get_join_path
from tribal.capabilities.retrieval.names import may_see
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.capabilities.retrieval.tools import guidance_for
from tribal.documenting.first_view import LISTED_TODO, TableFacts, related_tables, table_facts
from tribal.documenting.todo import TodoList, rank
from tribal.ports import Application, Caller, IndexedTable, IndexFilter
from tribal.rendering.gaps import needs_description
from tribal.rendering.web.records import is_sensitive
from tribal.rendering.words import shorten
from tribal.scoping.bounds import Bounds
from tribal.sql.dialect import legible_table
from tribal_contracts import DatabaseType, DocumentedColumn, DomainDocument, GetJoinPathInput, KeyEdge, TableDocument

DOCUMENTS_AT_ONCE = 10
"""Small, because more live objects mean more garbage collection: with 25 it takes 50 % longer."""
DESCRIPTION_CHARS = 300
"""Characters of a table's description in lists."""
COLUMN_CHARS, VALUES_CHARS = 140, 300
"""Characters of a column's description and of its allowed values with their meanings in search results."""
_EXPLAINED, _SENSITIVE = 1, 2


class SearchedColumn(NamedTuple):
    """A column in search results."""

    name: str
    text: str
    """The start of its description."""
    flags: int
    """1 for a column whose name or key explains it, 2 for personal data or secrets."""
    values: str
    """The start of its allowed values, with their meanings."""


@dataclass(frozen=True, slots=True)
class SurveyedTable:
    """The data about one table for lists, counts and joins."""

    entry: IndexedTable
    place: int
    """Its position in the survey."""
    facts: TableFacts
    """Its facts for the first view."""
    description: str
    rows: int
    columns: tuple[SearchedColumn, ...]
    database_type: DatabaseType
    sql_name: str
    relations: int

    @property
    def name(self) -> str:
        """The fully qualified name."""
        return self.facts.name

    @property
    def label(self) -> str:
        """`schema.table`."""
        return self.facts.label

    @property
    def is_described(self) -> bool:
        """Whether a person, a comment or a model describes it."""
        return self.facts.source not in ("derived", "none")

    @property
    def is_sensitive(self) -> bool:
        """Whether a column seems to hold personal data or secrets."""
        return any(column.flags & _SENSITIVE for column in self.columns)


@dataclass(frozen=True, slots=True)
class SurveyedDomain:
    """A domain of a database with its tables, most connected first."""

    database: str
    name: str
    title: str
    owner: str | None
    document: DomainDocument | None
    tables: tuple[SurveyedTable, ...]
    links: Mapping[str, int]
    """Number of declared keys to each other domain of its database."""


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Everything in an index that a caller may see."""

    opened: OpenIndex
    domains: tuple[SurveyedDomain, ...]
    """By database and name."""
    tables: tuple[SurveyedTable, ...]
    """Domain by domain."""
    keys: tuple[KeyEdge, ...]
    """Between tables that the caller may see."""
    related: tuple[TableFacts, TableFacts] | None
    """Two tables of different domains whose join is a good example."""
    todo: TodoList
    """What to document first, ranked without open questions."""

    @property
    def databases(self) -> list[str]:
        """The names of the databases."""
        return sorted({domain.database for domain in self.domains})

    def domain(self, database: str, name: str) -> SurveyedDomain:
        """Return a domain of a database.

        Raises:
            DomainNotFound: when no domain of that name is visible to the caller.
        """
        for domain in self.domains:
            if (domain.database, domain.name) == (database, name):
                return domain
        raise DomainNotFound(f"there is no domain {name!r} in the database {database!r}")


def page_toolbox(caller: Caller, app: Application) -> Toolbox:
    """The toolbox for the page, without an embedder, which would take longer to load than the first view may take."""
    return Toolbox(
        index=app.index(),
        embedder=None,
        clock=app.clock,
        scope=caller.scope,
        derived=app.derived,
        guidance=guidance_for(caller, app),
        definitions=lambda bounds: visible_definitions(bounds, app.store(), app.derived),
    )


def survey(toolbox: Toolbox) -> Survey:
    """Survey all tables that the caller may see; cached by generation and scope.

    Raises:
        IndexNotReady: when there is no finished index.
    """
    opened = open_index(toolbox)
    key = ("survey", toolbox.scope)
    return toolbox.derived.get(opened.generation, key, lambda: _surveyed(opened, toolbox))


def documents(entries: Sequence[IndexedTable], toolbox: Toolbox) -> Iterator[tuple[IndexedTable, TableDocument]]:
    """The documents of tables as indexed, not yet restricted to the caller's scope."""
    for start in range(0, len(entries), DOCUMENTS_AT_ONCE):
        some = entries[start : start + DOCUMENTS_AT_ONCE]
        found = toolbox.index.documents([entry.record_id for entry in some], TableDocument)
        yield from ((entry, found[entry.record_id]) for entry in some if entry.record_id in found)


def _surveyed(opened: OpenIndex, toolbox: Toolbox) -> Survey:
    graph = toolbox.index.key_graph()
    edges = () if graph is None else graph.edges
    keys = tuple(
        edge for edge in edges if may_see(edge.from_table, toolbox.scope) and may_see(edge.to_table, toolbox.scope)
    )
    members: defaultdict[tuple[str, str], list[SurveyedTable]] = defaultdict(list)
    for entry, document in documents(opened.tables, toolbox):
        members[entry.database, entry.domain].append(_table(entry, document, opened.bounds))
    found = domain_documents(
        toolbox.index.domain_records(opened.index_filter(IndexFilter(scope=toolbox.scope))), opened.bounds
    )
    links = _links(members, keys)
    domains: list[SurveyedDomain] = []
    tables: list[SurveyedTable] = []
    for database, name in sorted(members):
        ordered = _placed(members[database, name], len(tables))
        tables.extend(ordered)
        described = found.get((name, database))
        title, owner = _title(name, described, opened.bounds), _owner(described, opened.bounds)
        linked = links.get((database, name), {})
        domains.append(SurveyedDomain(database, name, title, owner, described, ordered, linked))
    return Survey(
        opened,
        tuple(domains),
        tuple(tables),
        keys,
        related_tables(
            (table.facts for table in tables),
            ((key.from_table, key.to_table) for key in keys if key.source == "declared"),
            partial(_is_clear, toolbox),
        ),
        rank((item for table in tables for item in table.facts.missing), LISTED_TODO),
    )


def _is_clear(toolbox: Toolbox, one: str, other: str) -> bool:
    """Whether a join over other tables is found, and nothing warns about it."""
    answer = get_join_path(GetJoinPathInput(source_table=one, target_table=other), toolbox)
    warned = any(warning.code.startswith("RET_JOIN") for warning in answer.warnings or ())
    return answer.path_found and not warned


def _table(entry: IndexedTable, unbounded: TableDocument, bounds: Bounds) -> SurveyedTable:
    document = bounded_table(unbounded, bounds)
    counted = with_hidden_texts(document, unbounded)
    return SurveyedTable(
        entry=entry,
        place=-1,
        facts=table_facts(counted),
        description=document.description.text[:DESCRIPTION_CHARS],
        rows=document.row_count,
        columns=tuple(map(_searched, document.columns)),
        database_type=entry.database_type,
        sql_name=legible_table(
            document.server_database or entry.database, entry.schema, entry.table, entry.database_type
        ),
        relations=len(document.relations),
    )


def _searched(column: DocumentedColumn) -> SearchedColumn:
    flags = _EXPLAINED * (not needs_description(column)) + _SENSITIVE * is_sensitive(column)
    said, meanings = column.description, column.value_meanings or {}
    values = [
        f"{value}: {meanings[value].text}" if value in meanings else value for value in column.allowed_values or ()
    ]
    # What rules say of keys and values is shown in other ways.
    is_said = said.source == "derived" and bool(flags & _EXPLAINED or values or said.text == "Unique.")
    text = "" if is_said else shorten(said.text, COLUMN_CHARS)
    return SearchedColumn(column.name, text, flags, shorten("; ".join(values), VALUES_CHARS))


def with_hidden_texts(bounded: TableDocument, unbounded: TableDocument) -> TableDocument:
    """A table as a caller sees it, but with all texts that were not made by rules.

    A text that is hidden from the caller is not missing, whereas one that rules made of a hidden table is as good as
    absent: counted as present, it would show that the table exists.
    """
    if bounded is unbounded:
        return bounded
    columns = [
        column
        if whole.description.source == "derived"
        else column.model_copy(update={"description": whole.description})
        for column, whole in zip(bounded.columns, unbounded.columns, strict=True)
    ]
    update: dict[str, object] = {"columns": columns}
    if unbounded.description.source != "derived":
        update["description"] = unbounded.description
    return bounded.model_copy(update=update)


def _placed(tables: Sequence[SurveyedTable], start: int) -> tuple[SurveyedTable, ...]:
    ordered = sorted(tables, key=lambda table: (-table.relations, table.label))
    return tuple(replace(table, place=start + number) for number, table in enumerate(ordered))


def _title(name: str, document: DomainDocument | None, bounds: Bounds) -> str:
    return name if document is None or bounds.withholds(document.title) else document.title


def _owner(document: DomainDocument | None, bounds: Bounds) -> str | None:
    owner = None if document is None else document.owner
    return None if owner is None or bounds.withholds(owner) else owner


def _links(
    members: Mapping[tuple[str, str], Iterable[SurveyedTable]], keys: Iterable[KeyEdge]
) -> Mapping[tuple[str, str], Mapping[str, int]]:
    """For each domain, the number of declared keys to each other domain of its database."""
    places = {table.name: place for place, tables in members.items() for table in tables}
    found: defaultdict[tuple[str, str], defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for key in keys:
        one, other = places.get(key.from_table), places.get(key.to_table)
        if key.source == "declared" and one and other and one != other and one[0] == other[0]:
            found[one][other[1]] += 1
            found[other][one[1]] += 1
    return found
