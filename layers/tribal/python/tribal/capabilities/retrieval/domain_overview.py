"""Tool `get_domain_overview`: the tables of a business domain, its diagram and its common joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.domains import DocumentsByPlace, domain_description, domain_documents
from tribal.capabilities.retrieval.names import find_database, find_domain, name_of
from tribal.capabilities.retrieval.paging import Page, Place, fill_page
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal.ports import IndexedTable, IndexFilter
from tribal.scoping.bounds import Bounds
from tribal_contracts import (
    AgentError,
    DomainTableSummary,
    GetDomainOverviewInput,
    GetDomainOverviewOutput,
    TableDocument,
)

TABLES_AT_ONCE = 50
"""How many documents are read from the index at once, until an answer is full."""


def get_domain_overview(request: GetDomainOverviewInput, toolbox: Toolbox) -> GetDomainOverviewOutput:
    """Show a domain. Its tables are paged; only the first page has the diagram and the joins, if they fit.

    Raises:
        DomainNotFound, DatabaseNotFound: when there is no such domain or database.
        ToolInputInvalid: when the cursor belongs to another question.
        AnswerTooLong: when a table's entry, or the description of the domain, alone exceeds the limit.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.4.
    """
    opened = open_index(toolbox)
    database = None if request.database is None else find_database(request.database, opened.tables)
    domain = find_domain(request.domain, opened.tables, database)
    tables = [entry for entry in opened.tables if entry.domain == domain and database in (None, entry.database)]
    databases = sorted({entry.database for entry in tables})
    place = Place.of(
        len(tables), request.cursor, ("get_domain_overview", domain, database, opened.metadata.manifest_hash)
    )
    where = IndexFilter(scope=toolbox.scope, database=database, domain=domain)
    documents = domain_documents(toolbox.index.domain_records(opened.index_filter(where)), opened.bounds)
    extras = _extras(domain, databases, documents) if place.is_first else {}
    if "er_diagram" in extras and _draws_hidden_types(tables, opened.bounds, toolbox):
        del extras["er_diagram"]
    description, source = domain_description(domain, databases, documents)
    left_out = _left_out(domain, databases, documents, toolbox)

    def answer(page: Page[DomainTableSummary]) -> GetDomainOverviewOutput:
        return GetDomainOverviewOutput(
            success=True,
            tokens_used=0,
            domain=domain,
            description=description,
            description_source=source,
            databases=databases,
            tables=list(page.items),
            total=page.total,
            returned=page.returned,
            truncated=page.truncated,
            next_cursor=page.next_cursor,
            warnings=[*opened.warnings, *left_out] or None,
            **{name: extras[name] for name in extras if name in page.extras},
        )

    summaries = _summaries(tables[place.start :], opened.bounds, toolbox)
    around = f"the description of the domain {domain}"
    return fill_page(place, summaries, answer, toolbox, around=around, extras=list(extras))


def _summaries(entries: Sequence[IndexedTable], bounds: Bounds, toolbox: Toolbox) -> Iterator[DomainTableSummary]:
    for start in range(0, len(entries), TABLES_AT_ONCE):
        some = entries[start : start + TABLES_AT_ONCE]
        documents = toolbox.index.documents([entry.record_id for entry in some], TableDocument)
        for entry in some:
            table = documents.get(entry.record_id)
            yield _summary(entry, None if table is None else bounded_table(table, bounds))


def _summary(entry: IndexedTable, table: TableDocument | None) -> DomainTableSummary:
    if table is None:
        return DomainTableSummary(name=name_of(entry), description="", description_source="derived", row_count=-1)
    return DomainTableSummary(
        name=name_of(entry),
        description=table.description.text,
        description_source=table.description.source,
        row_count=table.row_count,
    )


def _draws_hidden_types(entries: Sequence[IndexedTable], bounds: Bounds, toolbox: Toolbox) -> bool:
    """Whether the diagram would show column types that the caller may not see."""
    if bounds.is_open:
        return False
    tables = toolbox.index.documents([entry.record_id for entry in entries], TableDocument).values()
    columns = ((table, column) for table in tables for column in table.columns)
    return any(bounds.withholds_sql(column.type, table.database, table.database_type) for table, column in columns)


def _extras(domain: str, databases: Sequence[str], documents: DocumentsByPlace) -> dict[str, Any]:
    """The diagram and the common joins by field name, if there are any."""
    found = [documents[domain, name] for name in databases if (domain, name) in documents]
    joins = [join for document in found for join in document.common_joins]
    # Diagrams cannot be merged: entities of different databases may have the same name.
    diagram = found[0].er_diagram if len(databases) == 1 and found else ""
    return {name: value for name, value in (("er_diagram", diagram), ("common_joins", joins)) if value}


def _left_out(domain: str, databases: Sequence[str], documents: DocumentsByPlace, toolbox: Toolbox) -> list[AgentError]:
    missing = [name for name in databases if (domain, name) not in documents]
    warnings: list[AgentError] = []
    if missing:
        message = f"the overview of {domain} in {', '.join(missing)} is missing, or shows more than you may see"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    if len(databases) > 1:
        message = f"{domain} spans {len(databases)} databases; name one to get its diagram"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    return warnings
