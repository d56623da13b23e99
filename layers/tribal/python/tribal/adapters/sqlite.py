"""The search index as one SQLite file: FTS5 over our own terms, vectors compared in memory, keys as one object.

A reader works in a read-only transaction, so that it sees one state of the index however busy the writer is; what it
keeps in memory (vectors, table names, keys) belongs to one generation of the file and is dropped with it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from tribal.adapters import sqlite_records as rows
from tribal.adapters import sqlite_schema as schema
from tribal.adapters.sqlite_readers import ReaderPool
from tribal.adapters.sqlite_vectors import VectorMatrix, load_matrix
from tribal.catalog.scope import Scope
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.ports import INDEX_VERSION, Candidate, IndexCounts, IndexEntry, IndexFilter, TableEntry, VectorKind
from tribal_contracts import DocType, DocumentRecord, IndexMetadata, KeyGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

Answer = TypeVar("Answer")

_SCORE_DIGITS = 6
_METADATA_FIELDS = (
    *("last_full_index", "manifest_hash", "document_count", "embedding_count", "index_version"),
    *("embedding_model", "embedding_dimensions"),
)
_NOT_READY = {
    "absent": "there is no index at {path!r} yet; run `tribal run`, which documents the databases and indexes them",
    "other version": "the index at {path!r} is of another version of this program; `tribal index` rebuilds it",
    "damaged": "the index at {path!r} is damaged; `tribal index` rebuilds it",
    "foreign": "the file at {path!r} is a database of something else, not an index",
    "ours": "the index at {path!r} is not finished yet; wait for the run to end, or run `tribal index`",
}


@dataclass
class _Generation:
    """What a reader keeps in memory of one generation of the file."""

    name: tuple[object, ...] = ()
    tables: tuple[TableEntry, ...] | None = None
    graph: KeyGraph | None = None
    matrices: dict[VectorKind, VectorMatrix] = field(default_factory=dict)


@dataclass(frozen=True)
class _View:
    """One state of the index, as long as its transaction lasts."""

    connection: sqlite3.Connection
    metadata: IndexMetadata
    generation: tuple[object, ...]


class SqliteIndex:
    """Safe to share between threads; many processes may read while one writes.

    Args:
        path: the file, usually `data/tribal-knowledge.db`; it is made by the first write.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._readers = ReaderPool(path)
        self._writer: sqlite3.Connection | None = None
        self._write_lock = threading.RLock()
        self._memory = _Generation()
        self._memory_lock = threading.Lock()

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no finished index of this version."""
        try:
            with self._view() as view:
                return view.metadata
        except IndexNotReady:
            return None

    def lexical(self, terms: Sequence[str], doc_type: DocType, where: IndexFilter, limit: int) -> list[Candidate]:
        """Records that share a term, by BM25 with names weighing three times, best first, ties by id."""
        wanted = schema.distinct_terms(terms)
        with self._view() as view:
            if not wanted or limit <= 0:
                return []
            table = schema.TERMS[doc_type]
            condition, parameters = schema.conditions(where)
            found = view.connection.execute(
                f"SELECT d.id, d.table_id, round(-bm25({table}, 3.0, 1.0), {_SCORE_DIGITS}) AS score"  # noqa: S608
                f" FROM {table} JOIN documents d ON d.id = {table}.rowid"
                f" WHERE {table} MATCH ?{condition} ORDER BY score DESC, d.id LIMIT ?",
                (schema.match_expression(wanted), *parameters, limit),
            ).fetchall()
            holders = {
                term: {row[0] for row in view.connection.execute(_holders(table), (schema.match_expression([term]),))}
                for term in wanted
            }
        return [
            Candidate(found_id, score, table_id, frozenset(term for term in wanted if found_id in holders[term]))
            for found_id, table_id, score in found
        ]

    def term_counts(self, terms: Sequence[str], doc_type: DocType, scope: Scope) -> dict[str, int]:
        """How many records hold each term; a term that none holds is left out."""
        table = schema.TERMS[doc_type]
        condition, parameters = schema.conditions(IndexFilter(scope=scope))
        join = f" JOIN documents d ON d.id = {table}.rowid" if condition else ""
        query = f"SELECT count(*) FROM {table}{join} WHERE {table} MATCH ?{condition}"  # noqa: S608 - our own names
        with self._view() as view:
            counted = {
                term: view.connection.execute(query, (schema.match_expression([term]), *parameters)).fetchone()[0]
                for term in schema.distinct_terms(terms)
            }
        return {term: count for term, count in counted.items() if count}

    def nearest(self, vector: NDArray[Any], kind: VectorKind, where: IndexFilter, limit: int) -> list[Candidate]:
        """Records by the cosine similarity of one kind of vector, best first, ties by id."""
        with self._view() as view:
            matrix = self._matrix(view, kind)
        return matrix.nearest(vector, where, limit)

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id, in the order asked for; an unknown id is left out."""
        with self._view() as view:
            return rows.read_records(view.connection, ids)

    def tables(self, where: IndexFilter) -> list[TableEntry]:
        """Every table, in order of its name."""
        with self._view() as view, self._memory_lock:
            memory = self._remembered(view)
            if memory.tables is None:
                memory.tables = rows.read_tables(view.connection)
            tables = memory.tables
        return [
            entry
            for entry in tables
            if where.scope.allows(entry.database, entry.schema)
            and where.database in (None, entry.database)
            and where.domain in (None, entry.domain)
        ]

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, in order of domain and database."""
        with self._view() as view:
            return rows.read_domain_records(view.connection, *schema.conditions(where))

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; the same object as long as the index does not change."""
        with self._view() as view, self._memory_lock:
            memory = self._remembered(view)
            if memory.graph is None:
                row = view.connection.execute("SELECT graph FROM key_graph").fetchone()
                memory.graph = KeyGraph.from_json(row[0]) if row else None
            return memory.graph

    def sources(self) -> dict[str, str]:
        """Content hash of each file that the index holds; empty when the index cannot be used."""
        return self._writers_read(
            lambda connection: dict(connection.execute("SELECT path, content_hash FROM sources ORDER BY path")), {}
        )

    def counts(self) -> IndexCounts:
        """How much the index holds; nothing when it cannot be used."""
        query = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM vectors)"
        return self._writers_read(
            lambda connection: IndexCounts(*connection.execute(query).fetchone()), IndexCounts(0, 0)
        )

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Put the records of changed files in place of what those files had, in one transaction."""
        with self._writing() as connection:
            rows.write_files(connection, changed, list(removed), hashes or {})

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Publish the key graph and the metadata in one transaction, then fold the journal into the file."""
        with self._write_lock:
            with self._writing() as connection:
                connection.execute("DELETE FROM index_metadata")
                connection.execute(
                    f"INSERT INTO index_metadata VALUES ({', '.join('?' * len(_METADATA_FIELDS))})",  # noqa: S608
                    [getattr(metadata, name) for name in _METADATA_FIELDS],
                )
                connection.execute("DELETE FROM key_graph")
                connection.execute("INSERT INTO key_graph VALUES (?)", (graph.to_compact_json().decode(),))
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def clear(self) -> None:
        """Throw everything away; a file that cannot be emptied is removed."""
        with self._write_lock:
            try:
                with self._writing() as connection:
                    schema.drop(connection)
                    schema.create(connection)
            except IndexWriteFailed as exc:
                # Only what is damaged says DatabaseError itself; a full disk or another writer is an OperationalError.
                if type(exc.__cause__) is not sqlite3.DatabaseError:
                    raise
                self._close_writer()
                self._remove_file()
                with self._writing():
                    pass

    def close(self) -> None:
        """Let go of files and connections; the next call opens them again."""
        self._readers.close()
        # The last to leave tidies up behind SQLite, and only a writer can.
        with self._write_lock:
            self._close_writer()
        with self._memory_lock:
            self._memory = _Generation()

    @contextmanager
    def _view(self) -> Iterator[_View]:
        try:
            with self._readers.connection() as (connection, file):
                state = schema.state_of(connection)
                if state != "ours":
                    self._refuse(state)
                row = connection.execute(f"SELECT {', '.join(_METADATA_FIELDS)} FROM index_metadata").fetchone()  # noqa: S608
                if row is None:
                    self._refuse("ours")
                metadata = IndexMetadata(**dict(zip(_METADATA_FIELDS, row, strict=True)))
                if metadata.index_version != INDEX_VERSION:
                    self._refuse("other version")
                (generation,) = connection.execute("SELECT value FROM generation").fetchone()
                yield _View(connection, metadata, (*file, generation))
        except FileNotFoundError:
            self._refuse("absent")
        except (sqlite3.Error, OSError) as exc:
            raise IndexNotReady(
                f"the index at {str(self._path)!r} cannot be read ({exc}); `tribal index` rebuilds it"
            ) from exc

    def _refuse(self, state: schema.FileState) -> NoReturn:
        raise IndexNotReady(_NOT_READY[state].format(path=str(self._path)))

    def _remembered(self, view: _View) -> _Generation:
        if self._memory.name != view.generation:
            self._memory = _Generation(view.generation)
        return self._memory

    def _matrix(self, view: _View, kind: VectorKind) -> VectorMatrix:
        with self._memory_lock:
            matrices = self._remembered(view).matrices
            if kind not in matrices:
                matrices[kind] = load_matrix(view.connection, kind, view.metadata.embedding_dimensions)
            return matrices[kind]

    def _writers_read(self, read: Callable[[sqlite3.Connection], Answer], otherwise: Answer) -> Answer:
        try:
            with self._readers.connection() as (connection, _):
                return read(connection) if schema.state_of(connection) == "ours" else otherwise
        except (sqlite3.Error, OSError):
            return otherwise

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction; a new generation begins with it."""
        with self._write_lock:
            try:
                connection = self._writer or self._open_writer()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("UPDATE generation SET value = hex(randomblob(8))")
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, OSError) as exc:
                self._close_writer()
                raise IndexWriteFailed(
                    f"the index at {str(self._path)!r} refused a write: {exc}; make room there and see that the folder"
                    " may be written, or index again from nothing"
                ) from exc

    def _open_writer(self) -> sqlite3.Connection:
        state = schema.inspect(self._path)
        if state == "foreign":
            raise IndexWriteFailed(_NOT_READY["foreign"].format(path=str(self._path)) + "; move it away")
        if state in ("other version", "damaged"):
            self._remove_file()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=10)
        self._writer = connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if state != "ours":
            connection.execute("BEGIN IMMEDIATE")
            schema.create(connection)
            connection.execute("COMMIT")
        return connection

    def _remove_file(self) -> None:
        # The journal goes first: a new file must never meet the journal of an old one.
        for suffix in ("-wal", "-shm", ""):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _holders(table: str) -> str:
    return f"SELECT rowid FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - our own names
