"""Indexing: from the documentation's manifest to the search index."""

from __future__ import annotations

from tribal.indexing.context import IndexingContext, IndexingRequest
from tribal.indexing.run import index_documents
from tribal.indexing.tasks import FollowUp, IndexTask, TaskResult, run_task

__all__ = [
    "FollowUp",
    "IndexTask",
    "IndexingContext",
    "IndexingRequest",
    "TaskResult",
    "run_task",
    "index_documents",
]
