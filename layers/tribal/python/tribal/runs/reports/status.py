"""The status of documenting and indexing, read from the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tribal.documenting import fold_progress
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity import locations
from tribal.jobs.lease_file import is_running, read_lease
from tribal.ports import Clock, ObjectStore, WorkerPool
from tribal.runs.records import RunState, state_of
from tribal.store import content_hash, read_record, require_record
from tribal_contracts import (
    AgentStatus,
    Contract,
    DocumenterProgress,
    IndexerProgress,
    LeaseRecord,
    RunRecord,
)

_FILES: Mapping[str, type[Contract]] = {
    locations.DOCUMENTER_PROGRESS_FILE: DocumenterProgress,
    locations.INDEXER_PROGRESS_FILE: IndexerProgress,
    locations.LEASE_FILE: LeaseRecord,
}


@dataclass(frozen=True, slots=True)
class StatusReport:
    """Progress of documenting and indexing, and the holder of the lease; `None` if there is nothing yet."""

    running: bool
    lease: LeaseRecord | None
    run: RunRecord | None
    documenter: DocumenterProgress | None
    indexer: IndexerProgress | None
    manifest_hash: str | None
    """Hash of the currently published manifest."""
    damaged: tuple[str, ...] = ()
    """Status files that are damaged."""

    @property
    def state(self) -> RunState | None:
        """The state of the last run; `None` without a record."""
        if self.run is None:
            return "running" if self.running else None
        return state_of(self.run, running=self.running)

    def shown(self, status: AgentStatus) -> RunState:
        """The status of a part, for people: `running` in a file without a running run means stopped."""
        return "stopped" if status == "running" and not self.running else status

    @property
    def index_is_older(self) -> bool:
        """Whether the index was built from a different manifest than the published one."""
        return self.indexer is not None and self.manifest_hash not in (None, self.indexer.manifest_hash)


def read_status(store: ObjectStore, clock: Clock, pool: WorkerPool) -> StatusReport:
    """Read the status from the store's files, including units in progress."""
    lease, _ = read_lease(store, clock)
    running = lease is not None and is_running(lease, clock)
    progress = read_record(store, locations.DOCUMENTER_PROGRESS_FILE, DocumenterProgress)
    return StatusReport(
        running=running,
        lease=lease,
        run=read_record(store, locations.run_file(lease.run_id), RunRecord) if lease else None,
        documenter=fold_progress(progress, store, pool) if progress else None,
        indexer=read_record(store, locations.INDEXER_PROGRESS_FILE, IndexerProgress),
        manifest_hash=content_hash(store, locations.MANIFEST_FILE),
        damaged=tuple(key for key, kind in _FILES.items() if _is_damaged(store, key, kind)),
    )


def _is_damaged(store: ObjectStore, key: str, kind: type[Contract]) -> bool:
    try:
        require_record(store, key, kind)
    except ObjectNotFound:
        return False
    except ObjectDamaged:
        return True
    return False
