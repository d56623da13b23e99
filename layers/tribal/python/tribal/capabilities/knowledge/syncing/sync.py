"""One sync: publishes a snapshot, writes memories that point to its items, and records the result.

If it is killed at any point, the next sync ends like an undisturbed one: it records what it is about to do, and every
write can be repeated.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.errors import SyncLocked, SyncTimedOut
from tribal.capabilities.knowledge.items.places import Layout, SyncSelection
from tribal.capabilities.knowledge.snapshots.projection import projection_of
from tribal.capabilities.knowledge.snapshots.publishing import PublishResult, publish
from tribal.capabilities.knowledge.syncing.pointing import point
from tribal.capabilities.knowledge.syncing.record import load_record, record_problem, record_sync
from tribal.errors import RunLocked, SourceFailed, TribalError
from tribal.identity.locations import SYNC_LEASE
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports.stopping import StopToken
from tribal.runs.records import new_run_id
from tribal_contracts.knowledge import ItemFailure, SyncNowInput, SyncNowOutput, SyncRecord, SyncResult

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tribal.ports import Clock, ObjectStore, ProcessLock
    from tribal.ports.index.reader import Embedder
    from tribal.ports.remembering.knowledge_source import KnowledgeSource
    from tribal.ports.remembering.pointer_writer import PointerWriter

_NAMED_FAILURES = 5


@dataclass(frozen=True, slots=True)
class SyncContext:
    """The context of a sync.

    Attributes:
        open_source: opens the source of knowledge.
        layout: which of its files are items.
        store: where the snapshot goes.
        embedder: makes vectors for searching items.
        pointers: writes memories that point to items; `None` without memory.
        clock: gives the snapshot's time.
        lock: shows at once when the holder of the lease has died.
        seconds: time limit; the next sync resumes.
    """

    open_source: Callable[[], AbstractContextManager[KnowledgeSource]]
    layout: Layout
    store: ObjectStore
    embedder: Callable[[], Embedder]
    pointers: PointerWriter | None
    clock: Clock
    lock: ProcessLock | None = None
    seconds: float = math.inf
    _started: float = field(default_factory=time.monotonic, init=False)

    @property
    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        return time.monotonic() - self._started > self.seconds


def sync(request: SyncNowInput, syncing: SyncContext) -> SyncNowOutput:
    """Sync once.

    Raises:
        SyncLocked: when another one is running. Retryable.
        SyncTimedOut: when the time limit has passed; finished work is kept. Retryable.
        SourceFailed: when the source cannot be read. Retryable.
        MemoryRefused: when the memories cannot be written.
    """
    started, stop = syncing.clock.real(), StopToken()
    lease = RunLease(
        LeaseFile(syncing.store, syncing.clock, SYNC_LEASE),
        f"sync-{new_run_id(syncing.clock)}",
        lock=syncing.lock,
        stop=stop,
    )
    try:
        with lease:
            return _recorded(request, syncing, started, stop)
    except RunLocked as error:
        raise SyncLocked("another sync is running; retry in 30 s") from error


def _recorded(request: SyncNowInput, syncing: SyncContext, started: datetime, stop: StopToken) -> SyncNowOutput:
    before = load_record(syncing.store)
    try:
        return _synced(request, syncing, started, before, stop)
    except SyncTimedOut:
        raise
    except TribalError as error:
        if isinstance(error, SourceFailed) and syncing.is_late:
            raise SyncTimedOut(f"{error.message}; try again") from error
        record_problem(syncing.store, before, error.message)
        raise


def _synced(
    request: SyncNowInput, syncing: SyncContext, started: datetime, before: SyncRecord | None, stop: StopToken
) -> SyncNowOutput:
    def check() -> None:
        stop.check()
        if syncing.is_late:
            raise SyncTimedOut("the sync ran out of time; sync again to resume it")

    wanted = _wanted(request)
    now = syncing.clock.published()
    with syncing.open_source() as source:
        published = publish(source, syncing.layout, syncing.store, now, wanted, check)
    check()
    projection_of(published.manifest, syncing.store, syncing.embedder, writing=True)
    counts = point(published.manifest, syncing.store, syncing.pointers, wanted, check)
    failures = [each for each in published.manifest.failures if wanted.takes(each.layer, each.type)]
    result = SyncResult(**counts, failures=len(failures))
    if wanted.is_all and syncing.pointers is not None:
        syncing.pointers.expire()
    duration = syncing.clock.elapsed_ms(started)
    record_sync(syncing.store, before, published, result, now, duration)
    return SyncNowOutput(
        success=not failures, result=result, duration_ms=duration, message=_message(published, result, failures)
    )


def _wanted(request: SyncNowInput) -> SyncSelection:
    return SyncSelection(
        None if request.types is None else frozenset(request.types),
        None if request.layers is None else frozenset(request.layers),
        request.force,
    )


def _message(published: PublishResult, result: SyncResult, failures: Sequence[ItemFailure]) -> str:
    changes = {"added": result.added, "updated": result.updated, "deleted": result.deleted}
    changes_text = ", ".join(f"{count:,} {name}" for name, count in changes.items() if count)
    total = len(published.manifest.items)
    text = f"{changes_text or 'Nothing changed'}; {total:,} {'item is' if total == 1 else 'items are'} published"
    if not failures:
        return text
    named = [f"{where(each)}: {each.reason}" for each in failures[:_NAMED_FAILURES]]
    more = len(failures) - len(named)
    files = f"{len(failures):,} {'file' if len(failures) == 1 else 'files'} could not be used"
    return f"{text}; {files}: {'; '.join([*named, *([f'and {more:,} more'] if more else [])])}"


def where(failure: ItemFailure) -> str:
    """The file of a failure, and its line if that is known."""
    return failure.path if failure.line is None else f"{failure.path}:{failure.line}"
