"""The parts of the page's data, as declared in `rendering/web/types.d.ts`: plain values for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.errors import DomainNotFound
from tribal.capabilities.retrieval.guidance import guidance_of
from tribal.capabilities.retrieval.names import find_table, name_of
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.documenting.todo import Blocked, blocked_by_column, blocked_words, gaps_by_table, missing, rank
from tribal.identity import locations
from tribal.identity.table_names import format_name
from tribal.page_data.survey import Survey, SurveyedDomain, SurveyedTable, documents, survey
from tribal.ports import ObjectStore
from tribal.rendering.web.records import Record, table_record
from tribal.sql.dialect import legible_identifier
from tribal.store import read_record
from tribal_contracts import OverviewDocument, TableDocument
from tribal_contracts.answering.open_gaps import OpenGap

LISTED_CHARS = 110
"""Characters of a table's description in search results."""
TABLES_A_PART = 25
"""Tables per file of a static site: a thousand tables give 40 files. By judgement."""
TODO_ITEMS = 100
LISTED_QUESTIONS, PAGE_QUESTIONS = 2, 5
"""Questions of one table or column in the list and on the table's page; of the others, only the number is shown."""
_DECLARED = "declared"


def catalog_part(found: Survey, store: ObjectStore) -> dict[str, Any]:
    """The data for search and lists. Restricted callers get no overviews, since those cover everything."""
    overview = _overview("", found, store)
    tables, domains = len(found.tables), len(found.domains)
    return {
        "n": overview.name if overview else "Data catalog",
        "s": overview.description if overview else f"{tables:,} tables in {domains:,} domains.",
        "g": TABLES_A_PART,
        "databases": [_database(name, found, store) for name in found.databases],
    }


def _overview(folder: str, found: Survey, store: ObjectStore) -> OverviewDocument | None:
    if not found.opened.bounds.is_open:
        return None
    return read_record(store, f"{locations.DOCS}{folder}{locations.CATALOG_OVERVIEW}", OverviewDocument)


def _database(name: str, found: Survey, store: ObjectStore) -> dict[str, Any]:
    overview = _overview(f"{locations.database_directory(name)}/", found, store)
    return {
        "n": name,
        "s": overview.description if overview else "",
        "f": locations.annotations_file(name),
        "q": format_name((name,)),
        "domains": [_listed_domain(domain) for domain in found.domains if domain.database == name],
    }


def _listed_domain(domain: SurveyedDomain) -> dict[str, Any]:
    said = domain.document.description if domain.document else ""
    return {
        "n": domain.name,
        "h": domain.title,
        "s": said,
        "x": [[name, keys] for name, keys in sorted(domain.links.items())],
        "tables": [_line(table) for table in domain.tables],
    }


def _line(table: SurveyedTable) -> list[Any]:
    line = [table.label, _cut(table.description), table.rows, len(table.columns)]
    return line if table.entry.kind == "table" else [*line, table.entry.kind]


def _cut(text: str) -> str:
    return text if len(text) <= LISTED_CHARS else f"{text[: LISTED_CHARS - 1]}…"


def columns_part(found: Survey) -> list[tuple[str, ...]]:
    """The column names of every table, for search."""
    return [table.columns for table in found.tables]


def keys_part(found: Survey) -> dict[str, Any]:
    """Declared keys, with names as in SQL."""
    places = {table.name: table for table in found.tables}
    edges = [
        [
            places[key.from_table].place,
            places[key.to_table].place,
            _written(key.from_columns, places[key.from_table]),
            _written(key.to_columns, places[key.to_table]),
            int(key.nullable),
        ]
        for key in found.keys
        if key.source == _DECLARED and key.from_table in places and key.to_table in places
    ]
    return {"q": [table.sql_name for table in found.tables], "e": edges}


def _written(columns: Sequence[str], table: SurveyedTable) -> list[str]:
    return [legible_identifier(column, table.database_type) for column in columns]


def todo_part(found: Survey, toolbox: Toolbox, gaps: Sequence[OpenGap]) -> dict[str, Any]:
    """What to document first; `gaps` are those that the caller may see."""
    by_table = gaps_by_table(gaps)
    entries = [table.entry for table in found.tables if table.name in by_table]
    fresh = {
        document.name: tuple(missing(document, document.relations, by_table[document.name]))
        for _, document in documents(entries, toolbox)
    }
    items = (item for table in found.tables for item in fresh.get(table.name, table.missing))
    listed = rank(items, TODO_ITEMS, blocked_words(gaps))
    return {
        "total": listed.total,
        "items": [
            [item.table, item.column or 0, item.tables_that_refer, *_blocked(item.blocked)] for item in listed.items
        ],
        "words": [[each.word, *_blocked(each.blocked)] for each in listed.words],
    }


def questions_part(name: str, found: Survey, toolbox: Toolbox, gaps: Sequence[OpenGap]) -> list[list[Any]]:
    """The questions that a table and its columns leave open, as its page shows them.

    Raises:
        TableNotFound: when no table of that name is visible to the caller.
    """
    entry = find_table(name, found.opened.tables)
    of_table = gaps_by_table(gaps).get(name_of(entry), ())
    found_documents = documents([entry], toolbox) if of_table else ()
    return [row for _, document in found_documents for row in _questions(document, of_table)]


def _questions(document: TableDocument, gaps: Iterable[OpenGap]) -> list[list[Any]]:
    """Per table, as 0, or column: the number of questions, their texts, and what they found missing."""
    found = sorted(blocked_by_column(document, gaps).items(), key=lambda each: (-each[1].count, each[0] or ""))
    return [[column or 0, *_blocked(blocked, PAGE_QUESTIONS)] for column, blocked in found]


def _blocked(blocked: Blocked, limit: int = LISTED_QUESTIONS) -> list[Any]:
    return [blocked.count, blocked.questions[:limit], blocked.lacks[:limit]]


def state_part(found: Survey) -> dict[str, Any]:
    """How fresh the documentation is, and how much is described."""
    unread = found.opened.metadata.last_read or {}
    states = [_state([table for table in found.tables if table.entry.database == name]) for name in found.databases]
    return {
        "indexed": found.opened.metadata.last_full_index,
        "databases": [
            {"n": name, **state, **({"unread": unread[name]} if name in unread else {})}
            for name, state in zip(found.databases, states, strict=True)
        ],
    }


def _state(tables: Sequence[SurveyedTable]) -> dict[str, Any]:
    return {
        "tables": len(tables),
        "columns": sum(len(table.columns) for table in tables),
        "told": sum(table.described for table in tables),
        "sources": dict(sorted(Counter(table.source for table in tables).items())),
        "oldest": min(table.documented_at for table in tables),
        "newest": max(table.documented_at for table in tables),
    }


def domain_part(found: Survey, database: str, name: str) -> dict[str, Any]:
    """What a domain's page shows besides its list of tables.

    Raises:
        DomainNotFound: when no domain of that name is visible to the caller.
    """
    domain = next((one for one in found.domains if (one.database, one.name) == (database, name)), None)
    if domain is None:
        raise DomainNotFound(f"there is no domain {name!r} in the database {database!r}")
    return _domain(domain, found)


def _domain(domain: SurveyedDomain, found: Survey) -> dict[str, Any]:
    rows = {table.name: number for number, table in enumerate(domain.tables)}
    keys = [
        [rows[key.from_table], rows[key.to_table], _kind(key.source, nullable=key.nullable)]
        for key in found.keys
        if key.from_table in rows and key.to_table in rows
    ]
    document = domain.document
    own: dict[str, Any] = {"j": document.common_joins, "al": document.annotation_line} if document else {}
    present = {name: value for name, value in own.items() if value}
    return {**present, "k": keys, "said": [table.description for table in domain.tables]}


def _kind(source: str, *, nullable: bool) -> str:
    return "likely" if source != _DECLARED else "optional" if nullable else ""


def table_part(name: str, found: Survey, toolbox: Toolbox) -> list[Record]:
    """Everything that a table's page shows.

    Raises:
        TableNotFound: when no table of that name is visible to the caller.
    """
    return _records([find_table(name, found.opened.tables)], found, toolbox)


def remembered_part(name: str, found: Survey, toolbox: Toolbox) -> list[dict[str, str]]:
    """Decisions and shared memories about a table, as its page shows them.

    Raises:
        TableNotFound: when no table of that name is visible to the caller.
    """
    entry = find_table(name, found.opened.tables)
    (table,) = (bounded_table(document, found.opened.bounds) for _, document in documents([entry], toolbox))
    items = guidance_of(entry, [column.name for column in table.columns], found.opened, toolbox)
    return [each.model_dump(include={"kind", "id", "text", "layer", "author", "age"}) for each in items]


def _records(
    entries: Sequence[Any],
    found: Survey,
    toolbox: Toolbox,
    by_table: Mapping[str, Sequence[OpenGap]] = MappingProxyType({}),
) -> list[Record]:
    records: list[Record] = []
    for _, document in documents(entries, toolbox):
        record = table_record(bounded_table(document, found.opened.bounds))
        questions = _questions(document, by_table.get(document.name, ()))
        records.append({**record, "qs": questions} if questions else record)
    return records


WHOLE_PARTS: Mapping[str, Callable[[Survey], object]] = {
    "columns": columns_part,
    "keys": keys_part,
    "state": state_part,
}
"""The parts that exist once, by name, and that depend on the index alone."""


def every_part(
    toolbox: Toolbox, store: ObjectStore, changes: object, gaps: Sequence[OpenGap]
) -> Iterator[tuple[str, object]]:
    """All parts of a static site by name; the names contain nothing from a database. `gaps` are shown to everyone."""
    found = survey(toolbox)
    yield "catalog", catalog_part(found, store)
    yield "changes", changes
    yield "todo", todo_part(found, toolbox, gaps)
    for name, make in WHOLE_PARTS.items():
        yield name, make(found)
    for number, domain in enumerate(found.domains):
        yield f"domain-{number}", _domain(domain, found)
    entries = [table.entry for table in found.tables]
    by_table = gaps_by_table(gaps)
    for start in range(0, len(entries), TABLES_A_PART):
        some = entries[start : start + TABLES_A_PART]
        yield f"tables-{start // TABLES_A_PART}", _records(some, found, toolbox, by_table)
