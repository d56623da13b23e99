"""Indexing as tasks of a queue, each of which may lead to others.

Tasks act on the current manifest and files, so duplicates, delays and a changed order do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tribal.errors import ManifestError, RunInterrupted
from tribal.indexing.context import IndexingContext, IndexingRequest
from tribal.indexing.fan_out import agrees, units_to_index
from tribal.indexing.progress import record_blocked
from tribal.indexing.run import index_documents
from tribal_contracts.core.shape import ClosedContract, Unset, optional

RECONCILE_AFTER_SECONDS = 60
"""Time for the units of a fan-out to be taken in. By judgement: reconciling before them only costs another pass."""


class IndexTask(ClosedContract):
    """One message of the queue."""

    kind: Literal["manifest", "unit", "reconcile", "rebuild"]
    unit: str | Unset = optional("The work unit whose files are taken in.")
    resumed: bool = False
    """Whether an earlier call ran out of time on this task."""

    @property
    def in_place(self) -> bool:
        """Whether tasks of this kind run in parallel, all writing to the same generation."""
        return self.kind == "unit"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Tasks to queue, delivered after a delay."""

    tasks: tuple[IndexTask, ...]
    delay_seconds: int = 0


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The outcome of a task, and the tasks that follow it."""

    summary: str
    follow_ups: tuple[FollowUp, ...] = ()
    files_failed: int = 0
    blocked_by: ManifestError | None = None
    """Why nothing could be indexed. Retrying is no use: the next run queues a task for its own manifest."""


def carry_out(task: IndexTask, context: IndexingContext, *, side_by_side: bool) -> TaskResult:
    """Carry out one task; a manifest that cannot be indexed is recorded and returned, not raised.

    Args:
        task: the task.
        context: with an index opened according to `IndexTask.in_place`.
        side_by_side: whether several writers may index units at once; a manifest is then split into its units.

    Raises:
        IndexWriteFailed: when the index refuses a write.
        IndexNotReady: when the index cannot be asked.
    """
    try:
        if side_by_side and task.kind == "manifest":
            return _fan_out(context)
        if side_by_side and task.kind == "reconcile" and agrees(context):
            return TaskResult("manifest and index agree")
        return _index(task, context, side_by_side=side_by_side)
    except ManifestError as error:
        record_blocked(context.store, context.clock, context.model, error)
        return TaskResult("the manifest cannot be indexed", blocked_by=error)


def _fan_out(context: IndexingContext) -> TaskResult:
    units = units_to_index(context)
    # Removals, the key graph and the metadata come last; this also covers whatever a unit's task could not do.
    reconcile = FollowUp((IndexTask(kind="reconcile"),), RECONCILE_AFTER_SECONDS if units else 0)
    tasks = FollowUp(tuple(IndexTask(kind="unit", unit=unit) for unit in units))
    return TaskResult(f"the manifest is fanned out into {len(units)} unit(s)", (tasks, reconcile))


def _index(task: IndexTask, context: IndexingContext, *, side_by_side: bool) -> TaskResult:
    request = IndexingRequest(
        work_units=frozenset({task.unit}) if task.kind == "unit" and task.unit else None,
        force=task.kind == "rebuild" and not task.resumed,
        # An interrupted rebuild is incomplete, even if the metadata of the index still in use look current.
        compare=task.resumed or (task.kind == "reconcile" and side_by_side),
    )
    try:
        progress = index_documents(context, request)
    except RunInterrupted:
        rest = task.model_copy(update={"resumed": True})
        return TaskResult("out of time; the rest is queued", (FollowUp((rest,)),))
    if progress.status == "pending":
        # The event of the newer manifest may have been handled while this call was delayed.
        again = (FollowUp((IndexTask(kind="reconcile"),)),)
        return TaskResult("a newer manifest came meanwhile", again, progress.files_failed)
    return TaskResult("indexed", files_failed=progress.files_failed)
