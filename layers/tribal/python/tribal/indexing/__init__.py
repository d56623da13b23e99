"""Use case: from the manifest of the documentation to the search index."""

from __future__ import annotations

from tribal.indexing.run import index_documents

__all__ = ["index_documents"]
