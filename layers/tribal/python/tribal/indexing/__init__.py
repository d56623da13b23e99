"""Use case: from the manifest of the documentation to the search index."""

from __future__ import annotations

from tribal.indexing.fan_out import agrees, units_to_index
from tribal.indexing.progress import record_blocked
from tribal.indexing.run import index_documents

__all__ = ["agrees", "units_to_index", "index_documents", "record_blocked"]
