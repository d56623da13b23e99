"""Tool `list_domains`: the business domains, each once even if it spans several databases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tribal.catalog.scope import Scope
from tribal.ports import IndexedTable, IndexFilter
from tribal.retrieval.names import find_database, may_see
from tribal.retrieval.paging import page_of
from tribal.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import DocumentRecord, DomainDocument, DomainInfo, ListDomainsInput, ListDomainsOutput

DOMAINS_A_PAGE = 100


def list_domains(request: ListDomainsInput, toolbox: Toolbox) -> ListDomainsOutput:
    """List the domains with at least one table that the caller may see.

    Raises:
        DatabaseNotFound: when the filter names no documented database.
        ToolInputInvalid: when the cursor belongs to another question.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.5.
    """
    opened = open_index(toolbox)
    database = None if request.database is None else find_database(request.database, opened.tables)
    tables: defaultdict[str, list[IndexedTable]] = defaultdict(list)
    for entry in opened.tables:
        if database in (None, entry.database):
            tables[entry.domain].append(entry)
    question = ("list_domains", database, opened.metadata.manifest_hash)
    page = page_of(sorted(tables), DOMAINS_A_PAGE, request.cursor, question)
    where = IndexFilter(scope=toolbox.scope, database=database)
    documents = domain_documents(toolbox.index.domain_records(where), toolbox.scope)
    return ListDomainsOutput(
        success=True,
        tokens_used=0,
        domains=[_info(domain, tables[domain], documents) for domain in page.items],
        total=page.total,
        returned=len(page.items),
        truncated=page.truncated,
        next_cursor=page.next_cursor,
        warnings=list(opened.warnings) or None,
    )


DocumentsByPlace = Mapping[tuple[str, str], DomainDocument]
"""Domain documents by domain and database."""


def domain_documents(records: Iterable[DocumentRecord], scope: Scope) -> DocumentsByPlace:
    """Domain documents by place; any that mentions a table that the caller may not see is left out entirely."""
    documents: dict[tuple[str, str], DomainDocument] = {}
    for record in records:
        document = record.structured_domain
        if document is not None and not _reveals_hidden_tables(document, scope):
            documents[document.domain, document.database] = document
    return documents


def _reveals_hidden_tables(document: DomainDocument, scope: Scope) -> bool:
    # The diagram shows neighbours in other domains, and the document does not say in which schemas they are.
    may_draw_hidden = scope.schemas is not None and bool(document.links)
    return may_draw_hidden or not all(may_see(table.name, scope) for table in document.tables)


def described(domain: str, databases: Sequence[str], documents: DocumentsByPlace) -> str:
    """The description of a domain; differing ones are prefixed with their database. Empty if there is none."""
    said = [(name, documents[domain, name].description) for name in databases if (domain, name) in documents]
    said = [(name, text) for name, text in said if text]
    if len({text for _, text in said}) <= 1:
        return said[0][1] if said else ""
    return " ".join(f"{name}: {text}" for name, text in said)


def _info(domain: str, tables: Sequence[IndexedTable], documents: DocumentsByPlace) -> DomainInfo:
    databases = sorted({entry.database for entry in tables})
    return DomainInfo(
        name=domain,
        description=described(domain, databases, documents),
        table_count=len(tables),
        databases=databases,
    )
