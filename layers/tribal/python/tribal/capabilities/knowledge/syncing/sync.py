"""One sync: publishes a snapshot, then has memory point to its items, then records what was done.

Whatever is killed when, the next sync ends as an undisturbed one: what it may have begun is noted before, and every
write may be done twice.

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
from tribal.capabilities.knowledge.items.places import Layout, Wanted
from tribal.capabilities.knowledge.snapshots.projection import projection_of
from tribal.capabilities.knowledge.snapshots.publishing import Published, publish
from tribal.capabilities.knowledge.syncing.pointing import point
from tribal.capabilities.knowledge.syncing.record import load_record, noted, with_problem
from tribal.errors import RunError, SourceFailed, TribalError
from tribal.identity.locations import SYNC_LEASE
from tribal.ports.stopping import StopToken
from tribal.runs.ids import new_run_id
from tribal.runs.leases.lease import RunLease
from tribal.runs.leases.lease_file import LeaseFile
from tribal_contracts.knowledge import ItemFailure, SyncNowInput, SyncNowOutput, SyncRecord, SyncResult

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tribal.ports import Clock, ObjectStore, ProcessLock
    from tribal.ports.index_reader import Embedder
    from tribal.ports.remembering.knowledge_source import KnowledgeSource
    from tribal.ports.remembering.pointer_writer import PointerWriter

_NAMED_FAILURES = 5


@dataclass(frozen=True, slots=True)
class Syncing:
    """What a sync works with.

    Attributes:
        open_source: opens where knowledge is kept.
        layout: which of its files are items.
        store: where the snapshot goes.
        embedder: makes the vectors that items are found by.
        pointers: writes memories that point to items; `None` without memory.
        clock: its published time is that of the snapshot.
        lock: shows at once that who held the lease is dead.
        seconds: after which it is cut short; the next one goes on.
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
        """Whether the time is over."""
        return time.monotonic() - self._started > self.seconds


def sync(request: SyncNowInput, syncing: Syncing) -> SyncNowOutput:
    """Sync once.

    Raises:
        SyncLocked: when another one is running. Retryable.
        SyncTimedOut: when the time is over; what was done stays. Retryable.
        SourceFailed: when the source cannot be read. Retryable.
        MemoryRefused: when the memories cannot be written.
    """
    began, stop = syncing.clock.real(), StopToken()
    lease = RunLease(
        LeaseFile(syncing.store, syncing.clock, SYNC_LEASE),
        f"sync-{new_run_id(syncing.clock)}",
        lock=syncing.lock,
        stop=stop,
    )
    try:
        lease.acquire()
    except RunError as error:
        raise SyncLocked("another sync is running; try again in a while") from error
    try:
        before = load_record(syncing.store)
        try:
            return _synced(request, syncing, began, before, stop)
        except SyncTimedOut:
            raise
        except TribalError as error:
            if isinstance(error, SourceFailed) and syncing.is_late:
                raise SyncTimedOut(f"{error.message}; try again") from error
            with_problem(syncing.store, before, error.message)
            raise
    finally:
        lease.release()


def _synced(
    request: SyncNowInput, syncing: Syncing, began: datetime, before: SyncRecord | None, stop: StopToken
) -> SyncNowOutput:
    def check() -> None:
        stop.check()
        if syncing.is_late:
            raise SyncTimedOut("the sync is not done yet, and is gone on with by the next one; try again")

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
    duration = syncing.clock.elapsed_ms(began)
    noted(syncing.store, before, published, result, now, duration)
    return SyncNowOutput(
        success=not failures, result=result, duration_ms=duration, message=_message(published, result, failures)
    )


def _wanted(request: SyncNowInput) -> Wanted:
    return Wanted(
        None if request.types is None else frozenset(request.types),
        None if request.layers is None else frozenset(request.layers),
        request.force,
    )


def _message(published: Published, result: SyncResult, failures: Sequence[ItemFailure]) -> str:
    changes = {"added": result.added, "updated": result.updated, "deleted": result.deleted}
    told = ", ".join(f"{count:,} {name}" for name, count in changes.items() if count)
    total = len(published.manifest.items)
    said = f"{told or 'Nothing changed'}; {total:,} {'item is' if total == 1 else 'items are'} published"
    if not failures:
        return said
    named = [f"{where(each)}: {each.reason}" for each in failures[:_NAMED_FAILURES]]
    more = len(failures) - len(named)
    files = f"{len(failures):,} {'file' if len(failures) == 1 else 'files'} could not be used"
    return f"{said}; {files}: {'; '.join([*named, *([f'and {more:,} more'] if more else [])])}"


def where(failure: ItemFailure) -> str:
    """The file of a failure, and its line if that is known."""
    return failure.path if failure.line is None else f"{failure.path}:{failure.line}"
