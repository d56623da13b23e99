"""The page of all documents, and how much of them is described."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tribal.documenting.finish.collected_documents import TableEntry
from tribal.documenting.first_view import TableFacts, coverage, first_view, table_facts
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.ports import ObjectStore
from tribal.rendering.web.page import html_page, is_intact_page, page_version
from tribal.rendering.web.records import (
    Record,
    catalog_record,
    database_record,
    domain_record,
    first_view_record,
    table_record,
)
from tribal.store import put_record, read_record
from tribal_contracts import (
    SCHEMA_VERSION,
    CatalogCoverage,
    CoverageRecord,
    DomainCoverage,
    DomainDocument,
    IndexableFile,
    OverviewDocument,
    TableDocument,
)


def write_site_page(
    tables: Mapping[str, TableEntry], files: Sequence[IndexableFile], *, store: ObjectStore
) -> CatalogCoverage:
    """Write the page for the documented tables and the overviews in `files`; returns how much is described.

    Keeps one document in memory at a time. An intact page with the same inputs is not rewritten: what was counted when
    it was written is returned.
    """
    made_from = _made_from(tables, files)
    key = locations.DOCS + locations.SITE_PAGE
    counted = read_record(store, locations.COVERAGE_FILE, CoverageRecord)
    if counted is None or counted.made_from != made_from or not _is_current(store, key, made_from):
        facts: list[TableFacts] = []
        store.put_lines(key, html_page(_records(tables, facts, store), made_from))
        counted = _count(facts, made_from)
        put_record(store, locations.COVERAGE_FILE, counted)
    return CatalogCoverage(tables=counted.tables, columns=counted.columns, domains=counted.domains)


def _count(facts: Iterable[TableFacts], made_from: str) -> CoverageRecord:
    domains: defaultdict[tuple[str, str], list[TableFacts]] = defaultdict(list)
    listed = list(facts)
    for table in listed:
        domains[table.database, table.domain].append(table)
    return CoverageRecord(
        schema_version=SCHEMA_VERSION,
        made_from=made_from,
        domains=[
            DomainCoverage(database=database, domain=domain, **coverage(own))
            for (database, domain), own in sorted(domains.items())
        ],
        **coverage(listed),
    )


def _made_from(tables: Mapping[str, TableEntry], files: Sequence[IndexableFile]) -> str:
    documents = [*(entry.indexable for entry in tables.values()), *files]
    return object_hash([page_version(), sorted([file.path, file.content_hash] for file in documents)])


def _is_current(store: ObjectStore, key: str, made_from: str) -> bool:
    try:
        return is_intact_page(store.lines(key), made_from)
    except (ObjectDamaged, ObjectNotFound):
        return False


def _records(tables: Mapping[str, TableEntry], facts: list[TableFacts], store: ObjectStore) -> Iterator[Record]:
    """The records of the page; adds the facts of every table to `facts`."""
    catalog = read_record(store, locations.DOCS + locations.CATALOG_OVERVIEW, OverviewDocument)
    if catalog is None:
        return
    yield catalog_record(catalog)
    for database in catalog.databases:
        folder = locations.database_directory(database)
        overview = read_record(store, f"{locations.DOCS}{folder}/{locations.CATALOG_OVERVIEW}", OverviewDocument)
        yield database_record(database, overview.description if overview else "")
        for listed in catalog.domains:
            if listed.database == database:
                for document in _domain(database, listed.domain, tables, store):
                    if isinstance(document, TableDocument):
                        facts.append(table_facts(document))
                    yield _record(document)
    yield first_view_record(first_view(facts))


def _record(document: DomainDocument | TableDocument) -> Record:
    return table_record(document, joins=True) if isinstance(document, TableDocument) else domain_record(document)


def _domain(
    database: str, name: str, tables: Mapping[str, TableEntry], store: ObjectStore
) -> Iterator[DomainDocument | TableDocument]:
    """A domain, and then its tables."""
    key = f"{locations.DOCS}{locations.domain_directory(database, name)}/domain.json"
    domain = read_record(store, key, DomainDocument)
    if domain is None:
        return
    yield domain
    for listed in domain.tables:
        entry = tables.get(listed.name)
        document = read_record(store, locations.DOCS + entry.indexable.path, TableDocument) if entry else None
        if document is not None:
            yield document
