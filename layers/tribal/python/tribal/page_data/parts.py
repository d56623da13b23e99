"""The parts of the page's data, as declared in `page/src/data/types.ts`: plain values for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.names import find_table
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.documenting.todo import gaps_by_table
from tribal.identity import locations
from tribal.identity.table_names import format_name
from tribal.page_data.dbml import dbml_part
from tribal.page_data.definitions import definitions_part
from tribal.page_data.home import NO_REPORTS, Reports, home_part
from tribal.page_data.joins import keys_part, keys_with_joins
from tribal.page_data.lineage import lineage_part
from tribal.page_data.state import state_part
from tribal.page_data.survey import Survey, SurveyedDomain, SurveyedTable, documents, survey
from tribal.page_data.table_extras import decisions_about
from tribal.page_data.to_document import open_questions, todo_part
from tribal.ports import ObjectStore
from tribal.rendering.web.records import Record, table_record, trimmed
from tribal.store import read_record
from tribal_contracts import OverviewDocument, TableDocument
from tribal_contracts.answering.open_gaps import OpenGap

LISTED_CHARS = 110
"""Characters of a table's description in search results."""
TABLES_A_PART = 25
"""Tables per file of a static site: a thousand tables give 40 files. By judgement."""
_DESCRIBED, _SENSITIVE = 1, 2


def catalog_part(found: Survey, toolbox: Toolbox, store: ObjectStore, reports: Reports = NO_REPORTS) -> dict[str, Any]:
    """The data for the first view and lists. Restricted callers get no overviews, since those cover everything."""
    overview = _overview("", found, store)
    tables, domains = len(found.tables), len(found.domains)
    return {
        "n": overview.name if overview else "Data catalog",
        "s": overview.description if overview else f"{tables:,} tables in {domains:,} domains.",
        "g": TABLES_A_PART,
        "databases": [_database(name, found, store) for name in found.databases],
        "home": home_part(found, toolbox, reports),
    }


def _overview(folder: str, found: Survey, store: ObjectStore) -> OverviewDocument | None:
    if not found.opened.bounds.is_open:
        return None
    return read_record(store, f"{locations.DOCS}{folder}{locations.CATALOG_OVERVIEW}", OverviewDocument)


def _database(name: str, found: Survey, store: ObjectStore) -> dict[str, Any]:
    overview = _overview(f"{locations.database_directory(name)}/", found, store)
    domains = [domain for domain in found.domains if domain.database == name]
    return {
        "n": name,
        "s": overview.description if overview else "",
        "f": locations.annotations_file(name),
        "q": format_name((name,)),
        "k": domains[0].tables[0].database_type,
        "domains": [_listed_domain(domain) for domain in domains],
    }


def _listed_domain(domain: SurveyedDomain) -> dict[str, Any]:
    said = domain.document.description if domain.document else ""
    return {
        "n": domain.name,
        "h": domain.title,
        "s": said,
        **({"ow": domain.owner} if domain.owner else {}),
        "x": [[name, keys] for name, keys in sorted(domain.links.items())],
        "tables": [_line(table) for table in domain.tables],
    }


def _line(table: SurveyedTable) -> list[Any]:
    flags = _DESCRIBED * table.is_described + _SENSITIVE * table.is_sensitive
    kind = 0 if table.entry.kind == "table" else table.entry.kind
    more = trimmed([kind, flags, table.facts.connections])
    return [table.label, _cut(table.description), table.rows, len(table.columns), *more]


def _cut(text: str) -> str:
    return text if len(text) <= LISTED_CHARS else f"{text[: LISTED_CHARS - 1]}…"


def columns_part(found: Survey) -> list[list[list[Any]]]:
    """The columns of every table with the start of their descriptions and of their values, for search."""
    return [
        [trimmed([each.name, each.text or 0, each.flags, each.values or 0]) for each in table.columns]
        for table in found.tables
    ]


def domain_part(domain: SurveyedDomain) -> dict[str, Any]:
    """What a domain's page shows besides its list of tables."""
    document = domain.document
    own: dict[str, Any] = {"j": document.common_joins, "al": document.annotation_line} if document else {}
    present = {name: value for name, value in own.items() if value}
    return {**present, "said": [table.description for table in domain.tables]}


def table_part(name: str, found: Survey, toolbox: Toolbox) -> list[Record]:
    """Everything that a table's page shows.

    Raises:
        TableNotFound: when no table of that name is visible to the caller.
    """
    entry = find_table(name, found.opened.tables)
    return [_record(document, found) for _, document in documents([entry], toolbox)]


def _record(document: TableDocument, found: Survey) -> Record:
    return table_record(bounded_table(document, found.opened.bounds))


def _records_of_site(
    tables: Sequence[SurveyedTable], found: Survey, toolbox: Toolbox, by_table: Mapping[str, Sequence[OpenGap]]
) -> list[Record]:
    """Records with what a served page asks for later: questions that tables leave open, and decisions about them."""
    surveyed = {table.entry.record_id: table for table in tables}
    records: list[Record] = []
    for entry, document in documents([table.entry for table in tables], toolbox):
        later = {
            "qs": open_questions(document, by_table.get(document.name, ())),
            "rem": decisions_about(surveyed[entry.record_id], found, toolbox),
        }
        records.append({**_record(document, found), **{key: rows for key, rows in later.items() if rows}})
    return records


WHOLE_PARTS: Mapping[str, Callable[[Survey, Toolbox], object]] = {
    "columns": lambda found, _: columns_part(found),
    "definitions": definitions_part,
    "keys": keys_part,
    "lineage": lineage_part,
}
"""The parts that exist once, by name."""
_SITE_PARTS: Mapping[str, Callable[[Survey, Toolbox], object]] = {
    **WHOLE_PARTS,
    "definitions": partial(definitions_part, with_unusable=False),
    "keys": keys_with_joins,
}
DOMAIN_PARTS: Mapping[str, Callable[[SurveyedDomain, Survey, Toolbox], object]] = {
    "dbml": dbml_part,
    "domain": lambda domain, _found, _toolbox: domain_part(domain),
}
"""The parts of each domain, by name."""


def every_part(toolbox: Toolbox, store: ObjectStore, reports: Reports) -> Iterator[tuple[str, object]]:
    """All parts of a static site by name; names contain nothing from a database. `reports` are shown to everyone.

    A site says neither what models cost nor which files of definitions cannot be used.
    """
    found = survey(toolbox)
    yield "catalog", catalog_part(found, toolbox, store, reports)
    yield "changes", reports.changes and {**reports.changes, "runs": []}
    yield "state", state_part(found, store, with_costs=False)
    yield "todo", todo_part(found, toolbox, reports.gaps)
    yield "exam", reports.exams
    for name, make in _SITE_PARTS.items():
        yield name, make(found, toolbox)
    for number, domain in enumerate(found.domains):
        for name, make_of in DOMAIN_PARTS.items():
            yield f"{name}-{number}", make_of(domain, found, toolbox)
    by_table = gaps_by_table(reports.gaps)
    for start in range(0, len(found.tables), TABLES_A_PART):
        some = found.tables[start : start + TABLES_A_PART]
        yield f"tables-{start // TABLES_A_PART}", _records_of_site(some, found, toolbox, by_table)
