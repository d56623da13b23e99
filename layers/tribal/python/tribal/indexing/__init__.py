"""Indexing: from the documentation's manifest to the search index."""

from __future__ import annotations

from tribal.indexing.context import EVERYTHING, IndexingContext, IndexingRequest
from tribal.indexing.run import index_documents
from tribal.indexing.tasks import FollowUp, IndexTask, TaskResult, carry_out

__all__ = [
    "EVERYTHING",
    "FollowUp",
    "IndexTask",
    "IndexingContext",
    "IndexingRequest",
    "TaskResult",
    "carry_out",
    "index_documents",
]
