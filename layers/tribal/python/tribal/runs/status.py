"""What a store tells of the runs on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import ValidationError

from tribal.catalog import locations
from tribal.documenting import fold_progress
from tribal.errors import ObjectNotFound
from tribal.ports import Clock, ObjectStore
from tribal_contracts import (
    Contract,
    DocumenterProgress,
    IndexerProgress,
    LeaseRecord,
    RunRecord,
)

Kind = TypeVar("Kind", bound=Contract)


@dataclass(frozen=True, slots=True)
class StatusReport:
    """Where documenting and indexing stand, and who holds the lease; `None` where there is nothing yet."""

    running: bool
    lease: LeaseRecord | None
    run: RunRecord | None
    documenter: DocumenterProgress | None
    indexer: IndexerProgress | None


def read_status(store: ObjectStore, clock: Clock) -> StatusReport:
    """Read it from the files alone; units under way are folded in."""
    lease = _read(store, locations.LEASE_FILE, LeaseRecord)
    running = lease is not None and not lease.released and datetime.fromisoformat(lease.expires_at) > clock.real()
    progress = _read(store, locations.DOCUMENTER_PROGRESS_FILE, DocumenterProgress)
    return StatusReport(
        running=running,
        lease=lease,
        run=_read(store, locations.run_file(lease.run_id), RunRecord) if lease else None,
        documenter=fold_progress(progress, store) if progress else None,
        indexer=_read(store, locations.INDEXER_PROGRESS_FILE, IndexerProgress),
    )


def _read(store: ObjectStore, key: str, kind: type[Kind]) -> Kind | None:
    try:
        return kind.from_json(store.get(key).data)
    except (ObjectNotFound, ValidationError):
        return None
