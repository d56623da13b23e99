"""Use case: from the manifest of the documentation to the search index."""

from __future__ import annotations

from tribal.indexing.fan_out import units_to_index
from tribal.indexing.run import index_documents

__all__ = ["units_to_index", "index_documents"]
