"""Run one indexing task at a time."""

from __future__ import annotations

import math
from datetime import datetime

from tribal.errors import RunLocked
from tribal.indexing import FollowUp, IndexingContext, IndexTask, TaskResult, run_task
from tribal.jobs.lease import TERM_SECONDS, RunLease
from tribal.jobs.lease_file import LeaseFile

LEASE = "indexing"
"""Name of the lease of indexers."""


def run_task_exclusively(
    task: IndexTask, context: IndexingContext, run_id: str, *, term_seconds: float = TERM_SECONDS
) -> TaskResult:
    """Run a task under the indexers' lease; if another indexer holds it, the task is queued again.

    The task is delivered again when that lease expires without renewal, so it is not lost if the holder has already
    read the manifest or has died.

    Raises:
        IndexWriteFailed: when the index refuses a write.
        IndexNotReady: when the index cannot be queried.
    """
    lease = RunLease(
        LeaseFile(context.store, context.clock, LEASE), run_id, term_seconds=term_seconds, stop=context.stop
    )
    try:
        lease.acquire()
    except RunLocked as locked:
        return TaskResult("another indexer is running", FollowUp(task, _wait_seconds(locked, context, term_seconds)))
    try:
        return run_task(task, context)
    finally:
        lease.release()


def _wait_seconds(locked: RunLocked, context: IndexingContext, term_seconds: float) -> int:
    """Whole seconds until the lease ends, at least one and at most a term."""
    expires = (locked.context or {}).get("expires_at")
    if not isinstance(expires, str):
        return 1
    left = (datetime.fromisoformat(expires) - context.clock.real()).total_seconds()
    return min(max(1, math.ceil(left)), math.ceil(term_seconds))
