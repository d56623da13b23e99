"""Indexing tasks from a queue; a task may queue another one.

Tasks use the current manifest and files, so duplicates, delays and reordering are harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tribal.errors import LeaseLost, ManifestError, RunInterrupted
from tribal.indexing.context import IndexingContext, IndexingRequest
from tribal.indexing.progress import record_blocked
from tribal.indexing.run import index_documents
from tribal_contracts.core.shape import ClosedContract


class IndexTask(ClosedContract):
    """A queue message: index the manifest, or rebuild the index."""

    kind: Literal["manifest", "rebuild"]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A task to queue, delivered after a delay."""

    task: IndexTask
    delay_seconds: int = 0


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The outcome of a task, and the next task."""

    summary: str
    follow_up: FollowUp | None = None
    files_failed: int = 0
    blocked_by: ManifestError | None = None
    """Why nothing could be indexed. Not retryable: the next run queues a task for its own manifest."""


_AGAIN = FollowUp(IndexTask(kind="manifest"))
"""Resumes unfinished work, including a rebuild, with the manifest at that time."""


def run_task(task: IndexTask, context: IndexingContext) -> TaskResult:
    """Run one task; a manifest that cannot be indexed is recorded and returned, not raised.

    Raises:
        IndexWriteFailed: when the index refuses a write.
        IndexNotReady: when the index cannot be queried.
    """
    try:
        progress = index_documents(context, IndexingRequest(force=task.kind == "rebuild"))
    except (RunInterrupted, LeaseLost) as stopped:
        return TaskResult(stopped.message, _AGAIN)
    except ManifestError as error:
        record_blocked(context.store, context.clock, context.model, error)
        return TaskResult("the manifest cannot be indexed", blocked_by=error)
    if progress.status == "pending":
        # The event of the newer manifest may have been handled while this call was delayed.
        return TaskResult("a newer manifest was published in the meantime", _AGAIN, progress.files_failed)
    return TaskResult("indexed", files_failed=progress.files_failed)
