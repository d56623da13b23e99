"""Building an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tribal.identity.hashing import record_id
from tribal.ports.index.reader import IndexedTable, IndexFilter
from tribal_contracts import DocumentRecord, IndexMetadata, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """How many records and vectors a generation holds."""

    documents: int
    vectors: int


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A record with its search terms, already tokenised, and its vectors."""

    record: DocumentRecord
    names: tuple[str, ...]
    """Terms of its name, which weigh most."""
    body: tuple[str, ...]
    """Terms of all other texts that do not mention other objects."""
    vector: NDArray[Any] | None
    """D float32, L2-normalised."""
    name_vector: NDArray[Any] | None = None
    """For a table record, the vector of its name alone (D float32, L2-normalised), of kind `table_name`."""
    prose: tuple[str, ...] = ()
    """Terms of texts that may mention other objects; a scope may hide them."""
    mentions: tuple[str, ...] = ()
    """The words by which those texts, and the text of the vector, may mention other objects."""
    beyond: tuple[str, ...] = ()
    """Terms that name other schemas; only readers of whole databases find them."""
    long_words: tuple[str, ...] = ()
    """For a table record, those of its terms that may contain another word."""

    @property
    def table_id(self) -> int | None:
        """The id of the table record that a table or column record belongs to."""
        record = self.record
        if record.doc_type not in ("table", "column") or record.schema_name is None or record.table_name is None:
            return None
        return record_id("table", record.database_name, record.schema_name, record.table_name)


class IndexWriter(Protocol):
    """Begins the next generation of an index, fills it, and publishes it atomically by finishing it.

    A writer reads the current generation just as an `IndexReader` does. Every method that writes may raise
    `IndexWriteFailed`.
    """

    def metadata(self) -> IndexMetadata | None:
        """What the current generation was built from; `None` while there is no usable one. Never raises."""
        ...

    def is_intact(self) -> bool:
        """Whether the current generation is as it was published; may read all of it."""
        ...

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table of the current generation, ordered by name.

        Raises:
            IndexNotReady: when it does not exist.
        """
        ...

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key of the current generation.

        Raises:
            IndexNotReady: when it does not exist.
        """
        ...

    def is_unfinished(self, model: str) -> bool:
        """Whether an interrupted run left a generation that `begin` would resume with this model."""
        ...

    def begin(self, model: str, dimensions: int, *, from_scratch: bool = False) -> dict[str, str]:
        """Begin the next generation, or resume the one that an interrupted run left.

        A new generation starts as a copy of the current one. It starts empty with `from_scratch`, or when the current
        one has another model or version.

        Args:
            model: name of the model that makes the generation's vectors.
            dimensions: length of that model's vectors; 0 for a generation without vectors.
            from_scratch: whether to start empty in any case.

        Returns:
            Content hash of each file already in the generation, by path relative to `docs/`.
        """
        ...

    def counts(self) -> IndexCounts:
        """The size of the generation under construction."""
        ...

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Atomically replace the records of changed files and drop those of removed files.

        All paths are relative to `docs/`. `hashes` holds the content hashes that `begin` will report; a file that is
        not in it gets the hash of its first record, so only a file without records needs one.
        """
        ...

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Atomically publish the generation with its key graph and metadata, after the last `replace`."""
        ...

    def abandon(self) -> None:
        """Discard the unfinished generation, even one that an interrupted run left."""
        ...

    def close(self) -> None:
        """Close files and connections; an unfinished generation is kept for the next run."""
        ...
