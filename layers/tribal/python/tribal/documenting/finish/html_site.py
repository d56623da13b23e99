"""Write `docs/index.html`, a single page for browsing the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tribal.documenting.finish.collected_documents import TableEntry
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.ports import ObjectStore
from tribal.rendering.web.page import html_page, is_intact_page, page_version
from tribal.rendering.web.records import Record, catalog_record, database_record, domain_record, table_record
from tribal.store import read_record
from tribal_contracts import DomainDocument, IndexableFile, OverviewDocument, TableDocument


def write_site(tables: Mapping[str, TableEntry], files: Sequence[IndexableFile], *, store: ObjectStore) -> str:
    """Write the page for the documented tables and the overviews in `files`; returns its path under `docs/`.

    Keeps one document in memory at a time. An intact page with the same inputs is not rewritten.
    """
    made_from = _made_from(tables, files)
    key = locations.DOCS + locations.SITE_PAGE
    if not _is_current(store, key, made_from):
        store.put_lines(key, html_page(_records(tables, store), made_from))
    return locations.SITE_PAGE


def _made_from(tables: Mapping[str, TableEntry], files: Sequence[IndexableFile]) -> str:
    documents = [*(entry.indexable for entry in tables.values()), *files]
    return object_hash([page_version(), sorted([file.path, file.content_hash] for file in documents)])


def _is_current(store: ObjectStore, key: str, made_from: str) -> bool:
    try:
        return is_intact_page(store.lines(key), made_from)
    except (ObjectDamaged, ObjectNotFound):
        return False


def _records(tables: Mapping[str, TableEntry], store: ObjectStore) -> Iterator[Record]:
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
                yield from _domain(database, listed.domain, tables, store)


def _domain(database: str, name: str, tables: Mapping[str, TableEntry], store: ObjectStore) -> Iterator[Record]:
    key = f"{locations.DOCS}{locations.domain_directory(database, name)}/domain.json"
    domain = read_record(store, key, DomainDocument)
    if domain is None:
        return
    yield domain_record(domain)
    for listed in domain.tables:
        entry = tables.get(listed.name)
        document = read_record(store, locations.DOCS + entry.indexable.path, TableDocument) if entry else None
        if document is not None:
            yield table_record(document)
