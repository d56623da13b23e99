"""Finish a documenting run: overviews, manifest, progress, removal of outdated files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tribal.documenting.definitions.published import publish_definitions
from tribal.documenting.finish.collected_documents import CollectedDocuments, collect_documents
from tribal.documenting.finish.dead_links import rewrite_links
from tribal.documenting.finish.domain_files import DomainPlan
from tribal.documenting.finish.manifest import build_manifest
from tribal.documenting.finish.overviews import Overviews, OverviewWriter
from tribal.documenting.finish.publishing import Publisher
from tribal.documenting.finish.retire import retire
from tribal.documenting.finish.site_page import write_site_page
from tribal.documenting.progress import final_progress
from tribal.errors import doing
from tribal.identity import locations
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import RunContext
from tribal.store import documented_before, put_record, put_record_if_changed, read_record
from tribal.store.annotations import read_annotations
from tribal_contracts import (
    SCHEMA_VERSION,
    AgentError,
    CatalogCoverage,
    DatabaseAnalysis,
    DocumentationManifest,
    FinishCheckpoint,
    ModelQuote,
    ModelUsage,
    RunOutline,
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
    coverage: CatalogCoverage | None = None
    """How much is described; `None` without a manifest."""
    quote: ModelQuote | None = None
    """Estimated model usage of the run's units, from the plan."""


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
    manifest, coverage, described = None, None, _DomainDescriptions()
    if found.tables:
        overviews = _write_overviews(outline, found, previous, run)
        if overviews is None:
            return FinishResult(False)
        written, described = overviews
        manifest, coverage = _publish(outline, found, previous, written, run)
    progress = final_progress(outline, store, run.clock, run.pool, described.usage)
    put_record_if_changed(store, locations.DOCUMENTER_PROGRESS_FILE, progress)
    if manifest is not None:
        retire(found, previous, manifest, store=store)
    _note_undocumented_tables(outline, run)
    return FinishResult(True, manifest, described.waiting, described.failures, coverage, found.quote)


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
) -> tuple[DocumentationManifest, CatalogCoverage] | tuple[None, None]:
    for name in written.lost:
        del found.tables[name]
    if not found.tables:
        return None, None
    coverage = write_site_page(found.tables, written.files, store=run.store)
    written = replace(written, pages=[*written.pages, locations.SITE_PAGE])
    manifest = build_manifest(outline, found, previous, written, store=run.store, now=run.clock.published())
    run.lease.check()
    publish_definitions({name: entry.indexable for name, entry in found.tables.items()}, run)
    run.lease.check()
    put_record_if_changed(run.store, locations.MANIFEST_FILE, manifest)
    return manifest, coverage


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
