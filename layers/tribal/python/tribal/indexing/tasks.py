"""Indexing as tasks of a queue, each of which may lead to another.

A task acts on the current manifest and files, so duplicates, delays and a changed order do no harm.
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
    """One message of the queue: there is a manifest, or the index shall be built anew."""

    kind: Literal["manifest", "rebuild"]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A task to queue, delivered after a delay."""

    task: IndexTask
    delay_seconds: int = 0


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The outcome of a task, and the task that follows it."""

    summary: str
    follow_up: FollowUp | None = None
    files_failed: int = 0
    blocked_by: ManifestError | None = None
    """Why nothing could be indexed. Retrying is no use: the next run queues a task for its own manifest."""


_AGAIN = FollowUp(IndexTask(kind="manifest"))
"""Resumes what is unfinished, a rebuild too, and looks at the manifest as it is then."""


def carry_out(task: IndexTask, context: IndexingContext) -> TaskResult:
    """Carry out one task; a manifest that cannot be indexed is recorded and returned, not raised.

    Raises:
        IndexWriteFailed: when the index refuses a write.
        IndexNotReady: when the index cannot be asked.
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
        return TaskResult("a newer manifest came meanwhile", _AGAIN, progress.files_failed)
    return TaskResult("indexed", files_failed=progress.files_failed)
