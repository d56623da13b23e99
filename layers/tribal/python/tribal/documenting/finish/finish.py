"""The use case that finishes a documenting run: overviews, manifest, progress, removal of outdated files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tribal.documenting.finish.dead_links import rewrite_links
from tribal.documenting.finish.domain_files import DomainPlan
from tribal.documenting.finish.gather import Gathered, gather
from tribal.documenting.finish.html_site import write_site
from tribal.documenting.finish.manifest import build_manifest
from tribal.documenting.finish.overviews import Overviews, OverviewWriter
from tribal.documenting.finish.publishing import Publisher
from tribal.documenting.finish.retire import retire
from tribal.documenting.finish.unknown_tables import note_unknown_tables
from tribal.documenting.progress import final_progress
from tribal.errors import doing
from tribal.identity import locations
from tribal.ports import RunContext
from tribal.store import documented_before, put_record, put_record_if_changed, read_record
from tribal_contracts import (
    SCHEMA_VERSION,
    AgentError,
    DocumentationManifest,
    FinishCheckpoint,
    ModelUsage,
    RunOutline,
    sum_usage,
)

LOW_TIME_SECONDS = 60.0
"""With less time left, no further domain is started: a domain of many tables and the checkpoint must fit in."""
CLOSING_TIME_SECONDS = 180.0
"""Time reserved for the page of all documents, the manifest and the removals."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of Finish; `manifest` is `None` if no table is documented, and then the old one stays in place."""

    done: bool
    manifest: DocumentationManifest | None = None
    waiting: tuple[AgentError, ...] = ()
    """Why rules describe domains that a model should have."""
    failures: tuple[AgentError, ...] = ()
    """Why domains could not be written; files of an earlier run stay."""


@dataclass(frozen=True, slots=True)
class _Described:
    """What the model used for the domains in this run, and why rules describe some of them."""

    usage: ModelUsage | None = None
    waiting: tuple[AgentError, ...] = ()
    failures: tuple[AgentError, ...] = ()


@doing("documenting")
def finish(outline: RunOutline, run: RunContext) -> Finished:
    """Publish the tables documented by this run and earlier ones; opens no database and rewrites no unchanged file.

    If time runs out, the result is not done; call it again to continue.

    Raises:
        LeaseLost: when another run has taken the lease over; nothing is published then.
        ManifestError: when the current manifest is of another version of this program.
        StoreError: when the store cannot be read or written.
    """
    store = run.store
    previous = documented_before(store)
    found = gather(outline, run, previous)
    rewrite_links(found, outline, store=store, now=run.clock.published())
    manifest, described = None, _Described()
    if found.tables:
        overviews = _write_overviews(outline, found, previous, run)
        if overviews is None:
            return Finished(False)
        written, described = overviews
        manifest = _publish(outline, found, previous, written, run)
    progress = final_progress(outline, store, run.clock, run.pool, described.usage)
    put_record_if_changed(store, locations.DOCUMENTER_PROGRESS_FILE, progress)
    if manifest is not None:
        retire(found, previous, manifest, store=store)
    note_unknown_tables(outline, run)
    return Finished(True, manifest, described.waiting, described.failures)


def _write_overviews(
    outline: RunOutline,
    found: Gathered,
    previous: DocumentationManifest | None,
    run: RunContext,
) -> tuple[Overviews, _Described] | None:
    """Every overview, and how domains were described; `None` if the time is too short for them and what follows."""
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

    # Only the deadline counts here: after a signal, what is documented is still worth publishing, and a lost lease is
    # noticed before anything is.
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
    return written, _Described(used, waiting, tuple(written.failures))


def _publish(
    outline: RunOutline,
    found: Gathered,
    previous: DocumentationManifest | None,
    written: Overviews,
    run: RunContext,
) -> DocumentationManifest | None:
    for name in written.lost:
        del found.tables[name]
    if not found.tables:
        return None
    site = write_site(found.tables, written.files, store=run.store)
    written = replace(written, pages=[*written.pages, site])
    manifest = build_manifest(outline, found, previous, written, store=run.store, now=run.clock.published())
    run.lease.check()
    put_record_if_changed(run.store, locations.MANIFEST_FILE, manifest)
    return manifest
