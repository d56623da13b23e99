"""Finish a documenting run: overviews, manifest, progress, removal of outdated files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tribal.documenting.definitions.published import publish_definitions
from tribal.documenting.finish.collected_documents import CollectedDocuments, TableEntry, collect_documents
from tribal.documenting.finish.dead_links import rewrite_links
from tribal.documenting.finish.domain_files import DomainPlan
from tribal.documenting.finish.manifest import build_manifest
from tribal.documenting.finish.overviews import Overviews, OverviewWriter
from tribal.documenting.finish.publishing import Publisher
from tribal.documenting.finish.retire import retire
from tribal.documenting.first_view import TableFacts, first_view, table_facts
from tribal.documenting.progress import final_progress
from tribal.errors import ObjectDamaged, ObjectNotFound, doing
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import ObjectStore, RunContext
from tribal.rendering.web.page import html_page, is_intact_page, page_version
from tribal.rendering.web.records import (
    Record,
    catalog_record,
    database_record,
    domain_record,
    first_view_record,
    table_record,
)
from tribal.store import documented_before, put_record, put_record_if_changed, read_record
from tribal.store.annotations import read_annotations
from tribal_contracts import (
    SCHEMA_VERSION,
    AgentError,
    DatabaseAnalysis,
    DocumentationManifest,
    DomainDocument,
    FinishCheckpoint,
    IndexableFile,
    ModelUsage,
    OverviewDocument,
    RunOutline,
    TableDocument,
    sum_usage,
)

LOW_TIME_SECONDS = 60.0
"""With less time left, no domain is started: a large domain and the checkpoint must fit in."""
CLOSING_TIME_SECONDS = 180.0
"""Time reserved for the page of all documents, the manifest and the removals."""


@dataclass(frozen=True, slots=True)
class FinishResult:
    """The result of Finish; `manifest` is `None` if no table is documented, and the old one is kept."""

    done: bool
    manifest: DocumentationManifest | None = None
    waiting: tuple[AgentError, ...] = ()
    """Why rules describe domains instead of the model."""
    failures: tuple[AgentError, ...] = ()
    """Why domains could not be written; files of an earlier run are kept."""


@dataclass(frozen=True, slots=True)
class _DomainDescriptions:
    """The model's usage for the domains in this run, and why rules describe some of them."""

    usage: ModelUsage | None = None
    waiting: tuple[AgentError, ...] = ()
    failures: tuple[AgentError, ...] = ()


@doing("documenting")
def finish(outline: RunOutline, run: RunContext) -> FinishResult:
    """Publish the tables documented by this run and earlier ones; uses no database and rewrites only changed files.

    If time runs out, the result is not done; call it again to continue.

    Raises:
        LeaseLost: when another run has taken over the lease; nothing is published then.
        ManifestError: when the current manifest is from another version of this program.
        StoreError: when the store cannot be read or written.
    """
    store = run.store
    previous = documented_before(store)
    found = collect_documents(outline, run, previous)
    rewrite_links(found, outline, store=store, now=run.clock.published())
    manifest, described = None, _DomainDescriptions()
    if found.tables:
        overviews = _write_overviews(outline, found, previous, run)
        if overviews is None:
            return FinishResult(False)
        written, described = overviews
        manifest = _publish(outline, found, previous, written, run)
    progress = final_progress(outline, store, run.clock, run.pool, described.usage)
    put_record_if_changed(store, locations.DOCUMENTER_PROGRESS_FILE, progress)
    if manifest is not None:
        retire(found, previous, manifest, store=store)
    _note_undocumented_tables(outline, run)
    return FinishResult(True, manifest, described.waiting, described.failures)


def _write_overviews(
    outline: RunOutline,
    found: CollectedDocuments,
    previous: DocumentationManifest | None,
    run: RunContext,
) -> tuple[Overviews, _DomainDescriptions] | None:
    """Write every overview and describe the domains; `None` if there is not enough time to finish."""
    store = run.store
    checkpoint = locations.run_finish_file(outline.run_id)
    earlier = read_record(store, checkpoint, FinishCheckpoint)
    known = [*(previous.indexable_files if previous else ()), *(earlier.files if earlier else ())]
    publisher = Publisher(store, known, run.clock.published())
    writer = OverviewWriter(outline, found, publisher, run)
    describers = [run.describers.of(database) for database in {plan.database for plan in writer.domains}]
    at_once = max((each.at_once for each in describers), default=1)
    low_time = LOW_TIME_SECONDS + max((each.longest_seconds for each in describers), default=0.0)

    def in_time() -> Iterator[DomainPlan]:
        for plan in writer.domains:
            if run.stop.remaining_seconds() < low_time:
                return
            yield plan

    # Only the deadline counts here: after a signal, finished documents are still published, and a lost lease is noticed
    # before publishing.
    outcomes = dict(run.pool.run(writer.write_domain, in_time(), at_once, ignore_stop=True))
    used = sum_usage([earlier.usage if earlier else None, *(each.usage for each in outcomes.values())])
    done = len(outcomes) == len(writer.domains) and run.stop.remaining_seconds() >= CLOSING_TIME_SECONDS
    if used is not None or not done:
        so_far = FinishCheckpoint(schema_version=SCHEMA_VERSION, files=publisher.published, usage=used)
        put_record(store, checkpoint, so_far)
    if not done:
        return None
    waiting = tuple(each.warning for each in outcomes.values() if each.warning is not None)
    written = writer.close([outcomes[plan] for plan in writer.domains])
    return written, _DomainDescriptions(used, waiting, tuple(written.failures))


def _publish(
    outline: RunOutline,
    found: CollectedDocuments,
    previous: DocumentationManifest | None,
    written: Overviews,
    run: RunContext,
) -> DocumentationManifest | None:
    for name in written.lost:
        del found.tables[name]
    if not found.tables:
        return None
    site = _write_site(found.tables, written.files, store=run.store)
    written = replace(written, pages=[*written.pages, site])
    manifest = build_manifest(outline, found, previous, written, store=run.store, now=run.clock.published())
    run.lease.check()
    publish_definitions({name: entry.indexable for name, entry in found.tables.items()}, run)
    run.lease.check()
    put_record_if_changed(run.store, locations.MANIFEST_FILE, manifest)
    return manifest


def _note_undocumented_tables(outline: RunOutline, run: RunContext) -> None:
    """Report annotations of tables that are not in the plan; unreachable databases are skipped.

    Raises:
        ConfigurationError: when an annotations file cannot be used.
    """
    for analysis in outline.databases:
        if analysis.status == "reachable":
            for message in _unknown_table_notes(analysis, run):
                run.sink.note(message)


def _unknown_table_notes(analysis: DatabaseAnalysis, run: RunContext) -> Iterator[str]:
    annotations = read_annotations(run.store, analysis.name)
    if not annotations:
        return
    identities = (TableIdentity.parse(name) for names in analysis.domains.values() for name in names)
    known = {(identity.schema, identity.table) for identity in identities}
    schemas = {schema for schema, _ in known}
    names = sorted(map(".".join, known))
    for (schema, table), annotation in sorted(annotations.items()):
        if (schema, table) in known:
            continue
        close = difflib.get_close_matches(f"{schema}.{table}", names, n=1)
        hint = f"did you mean {close[0]}?" if close else "it is misspelt, was dropped, or is excluded by databases.yaml"
        what = "a table" if schema in schemas else "a table of an unknown schema,"
        file = f"{locations.annotations_file(analysis.name)}, line {annotation.line},"
        yield f"{file} describes {what} {format_name((schema, table))}, which does not exist in {analysis.name}; {hint}"


def _write_site(tables: Mapping[str, TableEntry], files: Sequence[IndexableFile], *, store: ObjectStore) -> str:
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
    facts: list[TableFacts] = []
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
