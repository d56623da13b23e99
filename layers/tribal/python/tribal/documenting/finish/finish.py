"""The use case that ends a documenting run: overviews, manifest, progress, and what has to go."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tribal.catalog import locations
from tribal.documenting.finish.dead_links import rewrite_links
from tribal.documenting.finish.gather import Gathered, gather
from tribal.documenting.finish.html_site import write_site
from tribal.documenting.finish.manifest import build_manifest
from tribal.documenting.finish.overviews import Overviews, OverviewWriter
from tribal.documenting.finish.publishing import Publisher
from tribal.documenting.finish.retire import retire
from tribal.documenting.progress import final_progress
from tribal.errors import doing
from tribal.ports import RunContext
from tribal.store import load_manifest, put_if_changed, read_record
from tribal_contracts import SCHEMA_VERSION, DocumentationManifest, FinishCheckpoint, RunOutline

LOW_TIME_SECONDS = 60.0
"""With less time left no further domain is begun: a domain of many tables, and the checkpoint, must fit in."""
CLOSING_TIME_SECONDS = 180.0
"""What the page of all documents, the manifest and the removals may take."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How far Finish came; `manifest` is `None` when nothing at all is documented, and the old one stays."""

    done: bool
    manifest: DocumentationManifest | None = None


@doing("documenting")
def finish(outline: RunOutline, run: RunContext) -> Finished:
    """Publish what the run's units and earlier runs documented; opens no database, rewrites nothing that is the same.

    Out of time it is not done: called again, it carries on.

    Raises:
        LeaseLost: when another run has taken over; nothing is published then.
        ManifestError: when the present manifest cannot be read.
        StoreError: when the store cannot be read or written.
    """
    store = run.store
    stored = load_manifest(store)
    previous = stored.manifest if stored else None
    found = gather(outline, store, previous)
    rewrite_links(found, outline, store=store, now=run.clock.published())
    manifest = None
    if found.tables:
        written = _write_overviews(outline, found, previous, run)
        if written is None:
            return Finished(False)
        manifest = _publish(outline, found, previous, written, run)
    put_if_changed(store, locations.DOCUMENTER_PROGRESS_FILE, final_progress(outline, store, run.clock).to_json())
    if manifest is not None:
        retire(found, previous, manifest, store=store)
    return Finished(True, manifest)


def _write_overviews(
    outline: RunOutline,
    found: Gathered,
    previous: DocumentationManifest | None,
    run: RunContext,
) -> Overviews | None:
    """Every overview; `None` when the time did not last for them and for what comes after."""
    store = run.store
    checkpoint = locations.run_finish_file(outline.run_id)
    earlier = read_record(store, checkpoint, FinishCheckpoint)
    known = [*(previous.indexable_files if previous else ()), *(earlier.files if earlier else ())]
    publisher = Publisher(store, known, run.clock.published())
    writer = OverviewWriter(outline, found, store=store, publisher=publisher, describer=run.describer, sink=run.sink)
    for plan in writer.domains:
        if run.stop.remaining_seconds() < LOW_TIME_SECONDS:
            break
        writer.write_domain(plan)
    if run.stop.remaining_seconds() >= CLOSING_TIME_SECONDS:
        return writer.close()
    store.put(checkpoint, FinishCheckpoint(schema_version=SCHEMA_VERSION, files=publisher.published).to_json())
    return None


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
    put_if_changed(run.store, locations.MANIFEST_FILE, manifest.to_json())
    return manifest
