"""The use case that ends a documenting run: overviews, manifest, progress, and what has to go."""

from __future__ import annotations

from tribal.catalog import locations
from tribal.documenting.dead_links import mend_links
from tribal.documenting.files import put_if_changed
from tribal.documenting.gather import Gathered, gather
from tribal.documenting.html_site import write_site
from tribal.documenting.manifest import build_manifest, load_manifest
from tribal.documenting.overviews import write_overviews
from tribal.documenting.progress import final_progress
from tribal.documenting.publishing import Publisher
from tribal.documenting.retire import retire
from tribal.ports import Clock, Describer, Lease, ObjectStore, ProgressSink
from tribal_contracts import DocumentationManifest, RunOutline


def finish(
    outline: RunOutline,
    *,
    store: ObjectStore,
    lease: Lease,
    describer: Describer,
    clock: Clock,
    sink: ProgressSink,
) -> DocumentationManifest | None:
    """Publish what the run's units and earlier runs documented; opens no database, rewrites nothing that is the same.

    `None`, and the old manifest stays, when no table at all is documented.

    Raises:
        LeaseLost: when another run has taken over; nothing is published then.
        ManifestError: when the present manifest cannot be read.
        StoreError: when the store cannot be read or written.
    """
    previous = load_manifest(store)
    found = gather(outline, store, previous)
    mend_links(found, outline, store=store, now=clock.published())
    manifest = _publish(outline, found, previous, store, lease, describer, clock, sink) if found.tables else None
    put_if_changed(store, locations.DOCUMENTER_PROGRESS_FILE, final_progress(outline, store, clock).to_json())
    if manifest is not None:
        retire(found, previous, manifest, store=store)
    return manifest


def _publish(
    outline: RunOutline,
    found: Gathered,
    previous: DocumentationManifest | None,
    store: ObjectStore,
    lease: Lease,
    describer: Describer,
    clock: Clock,
    sink: ProgressSink,
) -> DocumentationManifest | None:
    now = clock.published()
    publisher = Publisher(store, previous, now)
    written = write_overviews(outline, found, store=store, publisher=publisher, describer=describer, sink=sink)
    for name in written.lost:
        del found.tables[name]
    if not found.tables:
        return None
    site = write_site(found.tables, written.files, store=store)
    manifest = build_manifest(
        outline,
        found,
        previous,
        store=store,
        other_files=written.files,
        other_pages=[*written.pages, site],
        now=now,
    )
    lease.check()
    put_if_changed(store, locations.MANIFEST_FILE, manifest.to_json())
    return manifest
