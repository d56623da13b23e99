"""Overviews of domains, databases and the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tribal.documenting.finish.collected_documents import CollectedDocuments, TableEntry
from tribal.documenting.finish.domain_files import DomainOutcome, DomainPlan, DomainWriter
from tribal.documenting.finish.publishing import Publisher
from tribal.errors import TribalError
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.naming import domain_title
from tribal.ports import ObjectStore, ProgressSink, RunContext
from tribal.rendering.overview_pages import overview_page
from tribal.rendering.words import number
from tribal.store import put_if_changed
from tribal.store.annotations import OverviewAnnotations, read_overview_annotations
from tribal.store.snapshots import schema_comments
from tribal_contracts import (
    AgentError,
    DomainDocument,
    IndexableFile,
    OverviewDocument,
    OverviewDomain,
    RunOutline,
)

CATALOG_TITLE = "Data catalog"


@dataclass(slots=True)
class Overviews:
    """The files written in addition to those of tables."""

    files: list[IndexableFile] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """Tables whose documents are missing from the store."""
    failures: list[AgentError] = field(default_factory=list)
    """Why domains could not be written."""


class OverviewWriter:
    """Writes the overviews of domains, databases and the catalog, one domain at a time."""

    def __init__(self, outline: RunOutline, found: CollectedDocuments, publisher: Publisher, run: RunContext) -> None:
        databases = {entry.indexable.database for entry in found.tables.values()}
        store = run.store
        self._words = {database: read_overview_annotations(store, database) for database in databases}
        self.domains = _domain_plans(outline, found, self._words)
        """The domains to write, in order."""
        self._note_unknown_domains(run.sink)
        self._store = store
        self._publisher = publisher
        self._writer = DomainWriter(
            store=store,
            publisher=publisher,
            describers=run.describers,
            sink=run.sink,
            clock=run.clock,
            domains={name: entry.indexable.domain or "" for name, entry in found.tables.items()},
            comments=schema_comments(
                outline.databases,
                store,
                (
                    (entry.indexable.database, entry.indexable.schema_ or "", entry.indexable.domain or "")
                    for entry in found.tables.values()
                ),
            ),
            places=_places(found),
        )

    def _note_unknown_domains(self, sink: ProgressSink) -> None:
        """Report annotations of domains that do not exist; they are probably misspelt or outdated."""
        known = {(plan.database, plan.domain) for plan in self.domains}
        for database, words in sorted(self._words.items()):
            for domain in sorted(words.domains):
                if (database, domain) not in known:
                    file = locations.annotations_file(database)
                    sink.note(f"{file} describes a domain {domain!r}, which does not exist in {database}")

    def write_domain(self, plan: DomainPlan) -> DomainOutcome:
        """Write one domain unless its inputs are unchanged; thread-safe."""
        try:
            return self._writer.write(plan)
        except TribalError:
            raise
        except Exception as error:  # noqa: BLE001 - one domain must not keep the others from being published
            return self._writer.failed(plan, error)

    def close(self, outcomes: Iterable[DomainOutcome]) -> Overviews:
        """Write the overviews of the databases and the catalog, given the outcome of every domain in order."""
        written, listed = Overviews(), list[OverviewDomain]()
        for outcome in self._with_own_titles(list(outcomes)):
            written.lost.extend(outcome.lost)
            written.failures.extend([outcome.failure] if outcome.failure else [])
            if outcome.document is not None:
                written.files.extend(outcome.files)
                written.pages.append(locations.domain_page_file(outcome.document.database, outcome.document.domain))
                listed.append(_listed(outcome.document))
        databases = sorted({domain.database for domain in listed})
        for database in databases:
            own = [domain for domain in listed if domain.database == database]
            overview = _with_words(_overview("database", database, [database], own), self._words[database])
            _write_overview(overview, self._store, self._publisher, written)
        catalog = _overview("catalog", CATALOG_TITLE, databases, listed)
        _write_overview(catalog, self._store, self._publisher, written)
        return written

    def _with_own_titles(self, outcomes: Sequence[DomainOutcome]) -> Iterator[DomainOutcome]:
        """The outcomes; a domain whose title is already used in its database gets its title from the plan.

        The model does not know the titles of other domains.
        """
        taken = Counter((plan.database, plan.title.casefold()) for plan in self.domains)
        for plan, outcome in zip(self.domains, outcomes, strict=True):
            document = outcome.document
            if document is None or document.title == plan.title:
                yield outcome
                continue
            title = (plan.database, document.title.casefold())
            of_another = taken[title] > (plan.title.casefold() == document.title.casefold())
            if of_another:
                yield self._writer.retitled(outcome, plan)
            else:
                taken[title] += 1
                yield outcome


def _places(found: CollectedDocuments) -> dict[str, str]:
    by_database: dict[str, list[list[str]]] = {}
    for name in sorted(found.tables):
        file = found.tables[name].indexable
        by_database.setdefault(file.database, []).append([name, file.domain or ""])
    return {database: object_hash(places) for database, places in by_database.items()}


def _domain_plans(
    outline: RunOutline, found: CollectedDocuments, words: Mapping[str, OverviewAnnotations]
) -> list[DomainPlan]:
    titles = {
        (analysis.name, domain): title
        for analysis in outline.databases
        for domain, title in (analysis.domain_titles or {}).items()
    }
    chosen = {
        (each.name, domain)
        for each in outline.databases
        for domain in (*(each.chosen_domains or ()), *(each.domains_named_by_hand or ()))
    }
    members: dict[tuple[str, str], list[TableEntry]] = {}
    for name in sorted(found.tables):
        file = found.tables[name].indexable
        members.setdefault((file.database, file.domain or ""), []).append(found.tables[name])
    plans = []
    for (database, domain), entries in sorted(members.items()):
        own = words[database].domains.get(domain)
        title = (own and own.title) or titles.get((database, domain)) or domain_title(domain)
        titled = bool(own and own.title) or (database, domain) in chosen
        plans.append(DomainPlan(database, domain, title, entries, own, titled=titled))
    return plans


def _listed(document: DomainDocument) -> OverviewDomain:
    return OverviewDomain(
        domain=document.domain,
        title=document.title,
        description=document.description,
        database=document.database,
        table_count=len(document.tables),
        path=locations.domain_page_file(document.database, document.domain),
    )


def _overview(scope: str, name: str, databases: Sequence[str], domains: Sequence[OverviewDomain]) -> OverviewDocument:
    tables = sum(domain.table_count for domain in domains)
    counted = f"{number(tables, 'table or view', 'tables and views')} in {number(len(domains), 'domain')}"
    if scope == "catalog":
        counted = f"{counted} of {number(len(databases), 'database')}"
    return OverviewDocument(
        schema_version="1.0",
        scope="catalog" if scope == "catalog" else "database",
        name=name,
        description=f"{counted}.",
        databases=list(databases),
        table_count=tables,
        domains=list(domains),
    )


def _with_words(document: OverviewDocument, words: OverviewAnnotations) -> OverviewDocument:
    if words.description is None:
        return document
    described = f"{words.description.strip()}\n\n{document.description}"
    return document.model_copy(update={"description": described, "annotation_line": words.line})


def _write_overview(document: OverviewDocument, store: ObjectStore, publisher: Publisher, written: Overviews) -> None:
    of_catalog = document.scope == "catalog"
    folder = "" if of_catalog else f"{locations.database_directory(document.name)}/"
    database = "" if of_catalog else document.name
    path = folder + locations.CATALOG_OVERVIEW
    page = folder + locations.CATALOG_OVERVIEW_PAGE
    written.files.append(publisher.publish(path, document.to_json(), "overview", database=database))
    written.pages.append(page)
    put_if_changed(store, locations.DOCS + page, overview_page(document).encode())
