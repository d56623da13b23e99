"""Tool `get_domain_overview`: the tables of a business domain, its diagram and its common joins."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.ports import IndexedTable, IndexFilter
from tribal.retrieval.domains import DocumentsByPlace, described, domain_documents
from tribal.retrieval.names import find_database, find_domain, name_of
from tribal.retrieval.paging import page_of
from tribal.retrieval.scoping.bounds import Bounds
from tribal.retrieval.scoping.tables import bounded_table
from tribal.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import (
    AgentError,
    DomainTableSummary,
    GetDomainOverviewInput,
    GetDomainOverviewOutput,
    TableDocument,
)

TABLES_A_PAGE = 50


def get_domain_overview(request: GetDomainOverviewInput, toolbox: Toolbox) -> GetDomainOverviewOutput:
    """Show a domain; its tables are paged, and only the first page has the diagram and the joins.

    Raises:
        DomainNotFound, DatabaseNotFound: when there is no such domain or database.
        ToolInputInvalid: when the cursor belongs to another question.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.4.
    """
    opened = open_index(toolbox)
    database = None if request.database is None else find_database(request.database, opened.tables)
    domain = find_domain(request.domain, opened.tables, database)
    tables = [entry for entry in opened.tables if entry.domain == domain and database in (None, entry.database)]
    databases = sorted({entry.database for entry in tables})
    question = ("get_domain_overview", domain, database, opened.metadata.manifest_hash)
    page = page_of(tables, TABLES_A_PAGE, request.cursor, question)
    where = IndexFilter(scope=toolbox.scope, database=database, domain=domain)
    documents = domain_documents(toolbox.index.domain_records(opened.asked(where)), opened.bounds)
    diagram, joins = _pictures(domain, databases, documents) if page.is_first else (None, None)
    if diagram is not None and _draws_hidden_types(tables, opened.bounds, toolbox):
        diagram = None
    description, source = described(domain, databases, documents)
    left_out = _left_out(domain, databases, documents, toolbox)
    return GetDomainOverviewOutput(
        success=True,
        tokens_used=0,
        domain=domain,
        description=description,
        description_source=source,
        databases=databases,
        tables=_summaries(page.items, opened.bounds, toolbox),
        er_diagram=diagram,
        common_joins=joins,
        total=page.total,
        returned=len(page.items),
        truncated=page.truncated,
        next_cursor=page.next_cursor,
        warnings=[*opened.warnings, *left_out] or None,
    )


def _summaries(entries: Sequence[IndexedTable], bounds: Bounds, toolbox: Toolbox) -> list[DomainTableSummary]:
    records = toolbox.index.records([entry.record_id for entry in entries])
    found = [(entry, records[entry.record_id].structured) for entry in entries if entry.record_id in records]
    return [_summary(entry, None if table is None else bounded_table(table, bounds)) for entry, table in found]


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
    """Whether the columns of a diagram have types that the caller may not see."""
    if bounds.is_open:
        return False
    tables = (record.structured for record in toolbox.index.records([entry.record_id for entry in entries]).values())
    columns = ((table.database, column) for table in tables if table is not None for column in table.columns)
    return any(bounds.withholds_sql(column.type, database) for database, column in columns)


def _pictures(
    domain: str, databases: Sequence[str], documents: DocumentsByPlace
) -> tuple[str | None, list[str] | None]:
    found = [documents[domain, name] for name in databases if (domain, name) in documents]
    joins = [join for document in found for join in document.common_joins]
    # Diagrams cannot be merged: entities of different databases may have the same name.
    diagram = found[0].er_diagram if len(databases) == 1 and found else None
    return diagram or None, joins or None


def _left_out(domain: str, databases: Sequence[str], documents: DocumentsByPlace, toolbox: Toolbox) -> list[AgentError]:
    missing = [name for name in databases if (domain, name) not in documents]
    warnings: list[AgentError] = []
    if missing:
        message = f"the overview of {domain} in {', '.join(missing)} is not there, or tells more than you may see"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    if len(databases) > 1:
        message = f"{domain} spans {len(databases)} databases; name one of them to get its diagram"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    return warnings
