"""The dependencies of indexing, and its requests."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.ports import Clock, Embedder, IndexWriter, ObjectStore, ProgressSink, StopToken

NO_MODEL = "none"
"""Recorded as the embedding model of an index without vectors."""


@dataclass(frozen=True, slots=True)
class IndexingContext:
    """The dependencies of indexing."""

    store: ObjectStore
    """Holds the manifest and the documents."""
    index: IndexWriter
    embedder: Embedder | None
    """Computes the vectors; without one, or if it fails, the index only supports lexical search."""
    clock: Clock
    """Sets the records' timestamps."""
    sink: ProgressSink
    stop: StopToken
    """Checked between batches of files."""

    @property
    def model(self) -> str:
        """Name of the embedding model, or `NO_MODEL`."""
        return NO_MODEL if self.embedder is None else self.embedder.model

    @property
    def dimensions(self) -> int:
        """Length of the vectors; 0 without a model."""
        return 0 if self.embedder is None else self.embedder.dimensions


@dataclass(frozen=True, slots=True)
class IndexingRequest:
    """Which part of the manifest to index, and how."""

    work_units: frozenset[str] | None = None
    """Index only files of these units, and the domain and relationship files of their domains.

    Nothing is removed in this case, and the manifest counts as indexed once all its files are.
    """
    force: bool = False
    """Rebuild the index from scratch."""


EVERYTHING = IndexingRequest()
