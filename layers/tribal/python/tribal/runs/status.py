"""What a store tells of the runs on it."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.catalog import locations
from tribal.documenting import fold_progress
from tribal.ports import Clock, ObjectStore, WorkerPool
from tribal.runs.leases.lease_file import is_running
from tribal.store import read_record
from tribal_contracts import (
    DocumenterProgress,
    IndexerProgress,
    LeaseRecord,
    RunRecord,
)


@dataclass(frozen=True, slots=True)
class StatusReport:
    """Where documenting and indexing stand, and who holds the lease; `None` where there is nothing yet."""

    running: bool
    lease: LeaseRecord | None
    run: RunRecord | None
    documenter: DocumenterProgress | None
    indexer: IndexerProgress | None
    manifest_hash: str | None
    """Of the documents that are published now."""

    @property
    def index_is_older(self) -> bool:
        """Whether the last indexing was of other documents than those that are published now."""
        return self.indexer is not None and self.manifest_hash not in (None, self.indexer.manifest_hash)


def read_status(store: ObjectStore, clock: Clock, pool: WorkerPool) -> StatusReport:
    """Read it from the files alone; units under way are folded in."""
    manifest = store.head(locations.MANIFEST_FILE)
    lease = read_record(store, locations.LEASE_FILE, LeaseRecord)
    running = lease is not None and is_running(lease, clock)
    progress = read_record(store, locations.DOCUMENTER_PROGRESS_FILE, DocumenterProgress)
    return StatusReport(
        running=running,
        lease=lease,
        run=read_record(store, locations.run_file(lease.run_id), RunRecord) if lease else None,
        documenter=fold_progress(progress, store, pool) if progress else None,
        indexer=read_record(store, locations.INDEXER_PROGRESS_FILE, IndexerProgress),
        manifest_hash=manifest.content_hash if manifest else None,
    )
