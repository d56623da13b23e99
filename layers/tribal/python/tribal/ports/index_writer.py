"""Building an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tribal.ports.index_reader import IndexedTable, IndexFilter
from tribal_contracts import DocumentRecord, IndexMetadata, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """How much a generation holds."""

    documents: int
    vectors: int


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A record with the terms that find it and its vector; `terms` are already tokenised, one field a tuple."""

    record: DocumentRecord
    names: tuple[str, ...]
    """Terms of its name, which weigh most."""
    body: tuple[str, ...]
    """Terms of everything else."""
    vector: NDArray[Any] | None
    """D float32, L2-normalised."""
    name_vector: NDArray[Any] | None = None
    """Of a table record, the vector of the table's name alone, likewise; found as the kind `table_name`."""


class IndexWriter(Protocol):
    """Begins the next generation of an index, fills it and finishes it, which publishes it at once.

    What a writer has to know of the present generation it reads as an `IndexReader` does. Every method that writes
    raises `IndexWriteFailed`.
    """

    def metadata(self) -> IndexMetadata | None:
        """What the present generation was built from; `None` while there is none that can be used. Never raises."""
        ...

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table of the present generation, in order of its name.

        Raises:
            IndexNotReady: when there is none.
        """
        ...

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key of the present generation.

        Raises:
            IndexNotReady: when there is none.
        """
        ...

    def held(self, model: str) -> dict[str, str]:
        """What `begin` would return, without beginning anything: no file, folder or index is made for the asking.

        Raises:
            IndexNotReady: when that cannot be told.
        """
        ...

    def begin(self, model: str, dimensions: int, *, afresh: bool = False) -> dict[str, str]:
        """Begin the next generation, or carry on the one that an interrupted run left.

        Where neither is there it begins with what the present generation holds. Nothing of another model or another
        version is taken over, and nothing at all when it is to be made `afresh`.

        Args:
            model: what makes the vectors of the generation.
            dimensions: length of a vector of that model; 0 for a generation without vectors.
            afresh: whether to begin with nothing.

        Returns:
            Content hash of each file that it holds already, by path relative to `docs/`.
        """
        ...

    def counts(self) -> IndexCounts:
        """How much the generation that was begun holds."""
        ...

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Put the records of changed files in place of what those files had, and drop those of removed files, at once.

        Keys and members are paths relative to `docs/`. `hashes` holds the content hash of changed files, which
        `begin` will tell; where it is silent the hash of the file's first record counts, so only a file without
        records needs it.
        """
        ...

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Publish the generation that was begun with its key graph and metadata, at once, after the last `replace`."""
        ...

    def abandon(self) -> None:
        """Throw the generation away that was begun and not finished, also by a run that was interrupted."""
        ...

    def close(self) -> None:
        """Let go of files and connections; what was begun and not finished stays for the next run."""
        ...
