"""Tasks of the indexer, of which one at a time is carried out."""

from __future__ import annotations

import math
from datetime import datetime

from tribal.errors import RunLocked
from tribal.indexing import FollowUp, IndexingContext, IndexTask, TaskResult, carry_out
from tribal.runs.leases.lease import TERM_SECONDS, RunLease
from tribal.runs.leases.lease_file import LeaseFile

LEASE = "indexing"
"""Name of the lease of indexers."""


def carry_out_alone(
    task: IndexTask, context: IndexingContext, run_id: str, *, term_seconds: float = TERM_SECONDS
) -> TaskResult:
    """Carry out a task under the lease of indexers; while another one holds it, the task is queued again.

    It is then delivered when that lease would end if nobody renewed it, so that it is missed neither if the holder has
    looked at the manifest already, nor if it is dead.

    Raises:
        IndexWriteFailed: when the index refuses a write.
        IndexNotReady: when the index cannot be asked.
    """
    lease = RunLease(
        LeaseFile(context.store, context.clock, LEASE), run_id, term_seconds=term_seconds, stop=context.stop
    )
    try:
        lease.acquire()
    except RunLocked as locked:
        return TaskResult("another indexer is at work", FollowUp(task, _wait_seconds(locked, context, term_seconds)))
    try:
        return carry_out(task, context)
    finally:
        lease.release()


def _wait_seconds(locked: RunLocked, context: IndexingContext, term_seconds: float) -> int:
    """Whole seconds until the lease ends, at least one and at most a term."""
    expires = (locked.context or {}).get("expires_at")
    if not isinstance(expires, str):
        return 1
    left = (datetime.fromisoformat(expires) - context.clock.real()).total_seconds()
    return min(max(1, math.ceil(left)), math.ceil(term_seconds))
