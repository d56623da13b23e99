"""Tool `list_domains`: the business domains, each listed once even if it spans several databases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tribal.capabilities.retrieval.names import find_database, may_see
from tribal.capabilities.retrieval.paging import Page, Place, fill_page
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity
from tribal.naming.mentions import OwnNames
from tribal.ports import IndexedTable, IndexFilter
from tribal.scoping.bounds import Bounds
from tribal_contracts import (
    DescriptionSource,
    DocumentRecord,
    DomainDocument,
    DomainInfo,
    ListDomainsInput,
    ListDomainsOutput,
)


def list_domains(request: ListDomainsInput, toolbox: Toolbox) -> ListDomainsOutput:
    """List the domains with at least one table that the caller may see.

    Raises:
        DatabaseNotFound: when the database is not documented.
        ToolInputInvalid: when the cursor belongs to another question.
        AnswerTooLong: when a domain alone exceeds the limit.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.5.
    """
    opened = open_index(toolbox)
    database = None if request.database is None else find_database(request.database, opened.tables)
    tables: defaultdict[str, list[IndexedTable]] = defaultdict(list)
    for entry in opened.tables:
        if database in (None, entry.database):
            tables[entry.domain].append(entry)
    names = sorted(tables)
    place = Place.of(len(names), request.cursor, ("list_domains", database, opened.metadata.manifest_hash))
    where = IndexFilter(scope=toolbox.scope, database=database)
    documents = domain_documents(toolbox.index.domain_records(where), opened.bounds)
    infos = (_info(domain, tables[domain], documents) for domain in names[place.start :])

    def answer(page: Page[DomainInfo]) -> ListDomainsOutput:
        return ListDomainsOutput(
            success=True,
            tokens_used=0,
            domains=list(page.items),
            total=page.total,
            returned=page.returned,
            truncated=page.truncated,
            next_cursor=page.next_cursor,
            warnings=list(opened.warnings) or None,
        )

    return fill_page(place, infos, answer, toolbox, around="the list of domains")


DocumentsByPlace = Mapping[tuple[str, str], DomainDocument]
"""Domain documents by domain and database."""


def domain_documents(records: Iterable[DocumentRecord], bounds: Bounds) -> DocumentsByPlace:
    """Domain documents by place, without documents that mention a table that the caller may not see.

    The domain in the key is the name that the caller sees.
    """
    documents: dict[tuple[str, str], DomainDocument] = {}
    for record in records:
        document = record.structured_domain
        if document is not None and not _reveals_hidden_tables(document, bounds.scope):
            documents[bounds.shown_domain(document.domain), document.database] = _bounded(document, bounds)
    return documents


def _bounded(document: DomainDocument, bounds: Bounds) -> DomainDocument:
    """The document, without its description if that mentions anything hidden."""
    own = OwnNames.of(TableIdentity.parse(table.name).table for table in document.tables)
    if bounds.is_open or not bounds.withholds(document.description, own):
        return document
    return document.model_copy(update={"description": ""})


def _reveals_hidden_tables(document: DomainDocument, scope: Scope) -> bool:
    # The diagram shows neighbours in other domains, and the document does not record their schemas.
    may_draw_hidden = bool(document.links) and not scope.allows_all_of(document.database)
    return may_draw_hidden or not all(may_see(table.name, scope) for table in document.tables)


def domain_description(
    domain: str, databases: Sequence[str], documents: DocumentsByPlace
) -> tuple[str, DescriptionSource]:
    """The description of a domain and its source; of several sources, the least reliable one.

    Differing descriptions are prefixed with their database. The text is empty if there is no description.
    """
    found = [(name, documents[domain, name]) for name in databases if (domain, name) in documents]
    said = [(name, document) for name, document in found if document.description] or found
    # Documents of earlier versions have no source.
    sources = [document.description_source or "derived" for _, document in said]
    source: DescriptionSource = max(sources, key=_RELIED_ON.index, default="derived")
    if len({document.description for _, document in said}) <= 1:
        return said[0][1].description if said else "", source
    return " ".join(f"{name}: {document.description}" for name, document in said), source


_RELIED_ON: tuple[DescriptionSource, ...] = ("human", "comment", "model", "derived")


def _info(domain: str, tables: Sequence[IndexedTable], documents: DocumentsByPlace) -> DomainInfo:
    databases = sorted({entry.database for entry in tables})
    description, source = domain_description(domain, databases, documents)
    return DomainInfo(
        name=domain,
        description=description,
        description_source=source,
        table_count=len(tables),
        databases=databases,
    )
