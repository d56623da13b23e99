"""One generation of the index for readers: an immutable file, and what is cached from it."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tribal.adapters.local.file_identity import FileIdentity
from tribal.adapters.sqlite import checksum, records, schema
from tribal.adapters.sqlite.terms import TermIndex
from tribal.adapters.sqlite.vectors import VectorMatrix, load_matrix
from tribal.errors import IndexAbsent, IndexNotReady
from tribal.ports import INDEX_VERSION, IndexedTable, VectorKind
from tribal_contracts import DocType, IndexMetadata, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cached = TypeVar("Cached")

METADATA_FIELDS = (
    *("last_full_index", "manifest_hash", "document_count", "embedding_count", "index_version"),
    *("embedding_model", "embedding_dimensions"),
)
NOT_READY = {
    "absent": "there is no index at {path!r} yet; run `tribal run` to document and index the databases",
    "other version": "the index at {path!r} was built by another version of this program; `tribal run` rebuilds it and "
    "the documents, `tribal index` only the index",
    "damaged": "the index at {path!r} is damaged; `tribal index` or `tribal run` rebuilds it",
    "foreign": "the file at {path!r} is another database, not an index",
    "ours": "the index at {path!r} is not finished yet; wait for the run to end, or run `tribal index`",
}
_IDLE_CONNECTIONS = 8
_SCOPES_KEPT = 16
"""How many sets of hidden words have their records cached. By judgement: as many as `DerivedValues` caches."""
_ATTEMPTS = 20


class Generation:
    """A generation with its lazily loaded caches; thread-safe.

    Raises, from every method: `sqlite3.Error` or `OSError` when the file cannot be read.
    """

    def __init__(self, path: Path, file: FileIdentity) -> None:
        self.file = file
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._taken = 0
        self._closed = False
        self._ended: Callable[[], object] = lambda: None
        self._pool_lock = threading.Lock()
        self._loading = threading.Lock()
        self._loaded: dict[str, object] = {}
        self._mentioning: OrderedDict[frozenset[str], NDArray[Any]] = OrderedDict()
        connection = schema.connect_published(path)
        try:
            self.metadata = _read_metadata(connection, path)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    def take(self) -> sqlite3.Connection | None:
        """A connection for exclusive use by one thread; `None` when the file has been replaced."""
        with self._pool_lock:
            connection = self._idle.pop() if self._idle else None
            self._taken += 1
        try:
            connection = connection or self._connected()
        except BaseException:
            self._count_out()
            raise
        if connection is None:
            self._count_out()
        return connection

    def _connected(self) -> sqlite3.Connection | None:
        try:
            connection = schema.connect_published(self._path)
        except sqlite3.OperationalError:
            if FileIdentity.of(self._path) == self.file:
                raise
            return None
        if FileIdentity.of(self._path) == self.file:
            return connection
        connection.close()
        return None

    def release(self, connection: sqlite3.Connection, *, usable: bool = True) -> None:
        """Return a connection, for use by other threads if it is still usable."""
        with self._pool_lock:
            kept = usable and not self._closed and len(self._idle) < _IDLE_CONNECTIONS
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.close()
        self._count_out()

    def close(self, ended: Callable[[], object] = lambda: None) -> None:
        """Close the file as soon as no thread is reading it, and then call `ended`."""
        with self._pool_lock:
            self._closed, self._ended = True, ended
            idle, self._idle = self._idle, []
            read = self._taken > 0
        for connection in idle:
            connection.close()
        if not read:
            ended()

    def _count_out(self) -> None:
        with self._pool_lock:
            self._taken -= 1
            over = self._closed and not self._taken
        if over:
            self._ended()

    def tables(self, connection: sqlite3.Connection) -> tuple[IndexedTable, ...]:
        """Every table, ordered by name."""
        return self._cached("tables", lambda: records.read_tables(connection))

    def key_graph(self, connection: sqlite3.Connection) -> KeyGraph | None:
        """Every foreign key; always the same object."""
        return self._cached("graph", lambda: _read_graph(connection))

    def terms(self, connection: sqlite3.Connection, doc_type: DocType) -> TermIndex:
        """The term index of one record type."""
        return self._cached(f"terms of {doc_type}", lambda: TermIndex(connection, doc_type))

    def matrix(self, connection: sqlite3.Connection, kind: VectorKind) -> VectorMatrix:
        """The vectors of one kind."""
        dimensions = self.metadata.embedding_dimensions
        return self._cached(f"matrix of {kind}", lambda: load_matrix(connection, kind, dimensions))

    def mentioning(self, connection: sqlite3.Connection, words: frozenset[str]) -> NDArray[Any]:
        """Ids of the records that mention any of the words, in order."""
        import numpy as np  # imported here because lookups alone do not need numpy

        with self._loading:
            found = self._mentioning.get(words)
            if found is None:
                ids = records.read_mentioning(connection, words)
                found = self._mentioning[words] = np.array(sorted(ids), np.int64)
            self._mentioning.move_to_end(words)
            while len(self._mentioning) > _SCOPES_KEPT:
                self._mentioning.popitem(last=False)
            return found

    def _cached(self, name: str, load: Callable[[], Cached]) -> Cached:
        with self._loading:
            if name not in self._loaded:
                self._loaded[name] = load()
            return self._loaded[name]  # type: ignore[return-value]  # a name always maps to the same type


def open_generation(path: Path) -> Generation:
    """Open the finished index at a path.

    Raises:
        IndexNotReady: when there is no usable one.
    """
    for _ in range(_ATTEMPTS):
        file = FileIdentity.of(path)
        if file is None:
            raise IndexAbsent(NOT_READY["absent"].format(path=str(path)))
        try:
            if checksum.of_published(path, file) == "damaged":
                raise IndexNotReady(NOT_READY["damaged"].format(path=str(path)))
            generation = Generation(path, file)
        except (IndexNotReady, *schema.READ_ERRORS):
            if FileIdentity.of(path) == file:
                raise
            continue
        # The file may have been replaced between inspecting and opening it.
        if FileIdentity.of(path) == file:
            return generation
        generation.close()
    raise IndexNotReady(f"the index at {str(path)!r} is replaced faster than it can be read; try again")


def _read_metadata(connection: sqlite3.Connection, path: Path) -> IndexMetadata:
    state = schema.state_of(connection)
    if state == "ours":
        row = connection.execute(f"SELECT {', '.join(METADATA_FIELDS)} FROM index_metadata").fetchone()  # noqa: S608
        if row is not None:
            last_read = dict(connection.execute("SELECT database_name, last_read FROM unreached"))
            metadata = IndexMetadata(**dict(zip(METADATA_FIELDS, row, strict=True)), last_read=last_read or None)
            if metadata.index_version == INDEX_VERSION:
                return metadata
            state = "other version"
    raise (IndexAbsent if state == "absent" else IndexNotReady)(NOT_READY[state].format(path=str(path)))


def _read_graph(connection: sqlite3.Connection) -> KeyGraph | None:
    row = connection.execute("SELECT graph FROM key_graph").fetchone()
    return KeyGraph.from_json(row[0]) if row else None
