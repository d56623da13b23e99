"""What indexing works with, and what it is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.ports import Clock, Embedder, IndexWriter, ObjectStore, ProgressSink, StopToken

NO_MODEL = "none"
"""The model of an index without vectors."""


@dataclass(frozen=True, slots=True)
class IndexingContext:
    """The parts that indexing needs."""

    store: ObjectStore
    """Holds the manifest and the documents."""
    index: IndexWriter
    embedder: Embedder | None
    """Makes the vectors; without one, and when it fails, the index finds by words alone."""
    clock: Clock
    """Dates the records."""
    sink: ProgressSink
    stop: StopToken
    """Looked at between two batches of files."""

    @property
    def model(self) -> str:
        """The model that the vectors of the index are of."""
        return NO_MODEL if self.embedder is None else self.embedder.model

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 without a model."""
        return 0 if self.embedder is None else self.embedder.dimensions


@dataclass(frozen=True, slots=True)
class IndexingRequest:
    """What of the manifest is indexed, and how."""

    work_units: frozenset[str] | None = None
    """Only what these units wrote, with the domain and relationship files of their domains.

    Nothing is removed then, and the manifest counts as indexed once every file of it is.
    """
    force: bool = False
    """Throw the index away first."""
    compare: bool = False
    """Look at every file that the index holds, even where it says that it was made from this manifest."""


EVERYTHING = IndexingRequest()
