"""The status of documenting and indexing, read from the store."""

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
    """Progress of documenting and indexing, and the holder of the lease; `None` where there is nothing yet."""

    running: bool
    lease: LeaseRecord | None
    run: RunRecord | None
    documenter: DocumenterProgress | None
    indexer: IndexerProgress | None
    manifest_hash: str | None
    """Hash of the currently published manifest."""

    @property
    def index_is_older(self) -> bool:
        """Whether the index was built from a different manifest than the published one."""
        return self.indexer is not None and self.manifest_hash not in (None, self.indexer.manifest_hash)


def read_status(store: ObjectStore, clock: Clock, pool: WorkerPool) -> StatusReport:
    """Read the status from the store's files, including the progress of units under way."""
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
