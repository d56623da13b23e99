"""Writes the next generation of the index next to the current one, and renames it into place when it is complete.

Files, next to `tribal-knowledge.db`: `-next` is the generation under construction, which the next run resumes if this
one is killed; `-copy` becomes `-next` once it is complete; `-sum` holds the checksum of what is published. Only
renaming changes what readers see.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tribal.adapters.local.durable_files import make_folder, move_into_place, sync_folder
from tribal.adapters.sqlite import checksum, records, schema
from tribal.adapters.sqlite.generation import METADATA_FIELDS, NOT_READY
from tribal.adapters.sqlite.vectors import count_vectors
from tribal.errors import IndexWriteFailed
from tribal.ports import IndexCounts, IndexEntry
from tribal_contracts import IndexMetadata, KeyGraph

_OF_SQLITE = ("-wal", "-shm", "-journal")


class GenerationWriter:
    """Writes one generation; the run's lease ensures a single writer per path.

    Raises, from every method: `IndexWriteFailed`.
    """

    def __init__(self, path: Path, model: str, *, from_scratch: bool) -> None:
        self._path = path
        self._next = next_file(path)
        self.model = model
        with self._writing():
            try:
                self._connection = self._open(from_scratch=from_scratch)
            except schema.READ_ERRORS as exc:
                if not (schema.is_damage(exc) or schema.is_read_only(exc)):
                    raise
                # The file of an interrupted run, or the copy of the published one, is damaged: start from scratch.
                self._connection = self._open(from_scratch=True)

    def sources(self) -> dict[str, str]:
        """Content hash of each file that this generation holds."""
        with self._writing():
            return _read_sources(self._connection)

    def counts(self) -> IndexCounts:
        """The size of this generation."""
        with self._writing():
            (records,) = self._connection.execute("SELECT count(*) FROM records").fetchone()
            return IndexCounts(records, count_vectors(self._connection))

    def replace(
        self, changed: Mapping[str, Sequence[IndexEntry]], removed: Iterable[str], hashes: Mapping[str, str]
    ) -> None:
        """Replace the records of changed files, in one transaction."""
        with self._writing(), self._transaction() as connection:
            records.write_files(connection, changed, list(removed), hashes)

    def publish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Make this generation the current one, and close the writer."""
        with self._writing():
            with self._transaction() as connection:
                connection.execute("DELETE FROM index_metadata")
                connection.execute(
                    f"INSERT INTO index_metadata VALUES ({', '.join('?' * len(METADATA_FIELDS))})",  # noqa: S608
                    [getattr(metadata, name) for name in METADATA_FIELDS],
                )
                connection.execute("DELETE FROM unreached")
                connection.executemany("INSERT INTO unreached VALUES (?, ?)", (metadata.last_read or {}).items())
                connection.execute("DELETE FROM key_graph")
                connection.execute("INSERT INTO key_graph VALUES (?)", (graph.to_compact_json().decode(),))
            # Without a journal the file is self-contained, and readers need no write access to its folder.
            connection.execute("PRAGMA journal_mode = DELETE")
            self.close()
            _sync(self._next)
            _remove(self._path, _OF_SQLITE)
            published = checksum.announce(self._path, self._next)
            move_into_place(self._next, self._path)
            sync_folder(self._path.parent)
            checksum.confirm(self._path, published)

    def close(self) -> None:
        """Close the file; its contents are kept for the next run."""
        self._connection.close()

    def _open(self, *, from_scratch: bool) -> sqlite3.Connection:
        published = schema.inspect(self._path)
        if published == "ours" and not from_scratch and not checksum.is_intact(self._path):
            published = "damaged"
        if published == "foreign":
            raise IndexWriteFailed(NOT_READY["foreign"].format(path=str(self._path)) + "; move it away")
        if from_scratch or not is_generation(self._next, self.model):
            abandon(self._path)
            make_folder(self._path.parent)
            if not from_scratch and published == "ours" and is_generation(self._path, self.model):
                self._copy_published()
        connection = self._connect()
        if not checksum.passes_quick_check(connection):
            connection.close()
            abandon(self._path)
            connection = self._connect()
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # A batch lost in a power cut is written again; only `publish` must be durable, and it syncs itself.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")
            connection.execute("PRAGMA cache_size = -32000")
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                connection.execute("BEGIN IMMEDIATE")
                schema.create(connection, self.model)
                connection.execute("COMMIT")
            # Fails here rather than halfway if damage keeps this from being read or written.
            connection.execute("UPDATE made_with SET model = model")
            _read_sources(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._next, isolation_level=None, check_same_thread=False, timeout=10)

    def _copy_published(self) -> None:
        copy = _sibling(self._path, "-copy")
        shutil.copyfile(self._path, copy)
        _sync(copy)
        copy.replace(self._next)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (*schema.READ_ERRORS, OSError) as exc:
            if schema.is_damage(exc):
                # An empty generation in its place: the next run fills it and copies nothing.
                with suppress(OSError, *schema.READ_ERRORS):
                    self._open(from_scratch=True).close()
                raise IndexWriteFailed(
                    f"the index at {str(self._path)!r} is damaged ({exc}); run `tribal index`, which rebuilds it"
                ) from exc
            raise IndexWriteFailed(
                f"cannot write to the index at {str(self._path)!r}: {exc}; check the free space and that the folder"
                " is writable, or rebuild the index with `tribal index --force`"
            ) from exc


def abandon(path: Path) -> None:
    """Remove files that an interrupted run left next to the index at a path.

    Raises:
        OSError: when a file cannot be removed.
    """
    for half in ("-next", "-copy"):
        # Remove the journal first: a new file must never be paired with an old journal.
        _remove(_sibling(path, half), (*_OF_SQLITE, ""))


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _remove(path: Path, suffixes: Iterable[str]) -> None:
    for suffix in suffixes:
        with suppress(NotADirectoryError):
            _sibling(path, suffix).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def next_file(path: Path) -> Path:
    """The file of the generation under construction, for the index at a path."""
    return _sibling(path, "-next")


def is_generation(file: Path, model: str) -> bool:
    """Whether a file is a generation of this version and model."""
    if not file.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=10)) as connection:
            if schema.state_of(connection) != "ours":
                return False
            made_with: tuple[str] | None = connection.execute("SELECT model FROM made_with").fetchone()
            return made_with == (model,)
    except schema.READ_ERRORS:
        return False


def _read_sources(connection: sqlite3.Connection) -> dict[str, str]:
    query = "SELECT path, content_hash FROM sources WHERE content_hash IS NOT NULL ORDER BY path"
    return dict(connection.execute(query))
