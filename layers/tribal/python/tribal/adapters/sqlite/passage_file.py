"""The file of one generation of a collection's passages: its layout, and how it is written.

Passages are numbered from 1 in the order of their files. Equal passages give equal bytes, so that an index that is
built again after a kill has the same name.
"""

from __future__ import annotations

import base64
import binascii
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tribal.adapters.sqlite.schema import READ_ERRORS, connect_published, encode_term
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.naming import index_terms
from tribal_contracts.chat.collections import EmbeddingRecord, StoredPassage

APPLICATION_ID = 0x54524B50
"""Identifies the file in the SQLite header ("TRKP")."""
VERSION = 1
PASSAGES_A_ROW = 1_024
"""Vectors in one row, except the last. By judgement: 4 MB at 1,024 dimensions."""
TERMS_QUERY = "SELECT rowid, -bm25(terms) FROM terms WHERE terms MATCH ?"

_BYTES_A_NUMBER = 4
_TABLES = """
CREATE TABLE files (
    source_id TEXT NOT NULL,
    source_filename TEXT NOT NULL,
    course_id TEXT NOT NULL,
    first INTEGER PRIMARY KEY,
    passages INTEGER NOT NULL
);
CREATE TABLE passages (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, page INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE vectors (first INTEGER PRIMARY KEY, vectors BLOB NOT NULL);
CREATE VIRTUAL TABLE terms USING fts5(body, content='', tokenize='ascii');
"""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What a file holds."""

    sources: list[str]
    passages: int


def write_file(path: Path, passages: Iterable[tuple[str, StoredPassage]], embedding: EmbeddingRecord) -> WrittenFile:
    """Write the passages of a collection into a new file.

    Args:
        path: of the file, which must not exist.
        passages: with the ids of their files, ordered by file and number.
        embedding: what made the vectors.

    Raises:
        IndexWriteFailed: when a vector has another length, or the order is wrong.
        sqlite3.Error: when the file cannot be written.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"application_id = {APPLICATION_ID}"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("BEGIN")
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)
        writer = _Writer(connection, embedding.dimensions)
        for source_id, passage in passages:
            writer.add(source_id, passage)
        written = writer.finish()
        connection.execute("INSERT INTO terms(terms) VALUES ('optimize')")
        connection.execute("COMMIT")
    return written


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a file of this layout, for one thread at a time.

    Raises:
        IndexNotReady: when it was written by another version, or is another file.
        sqlite3.Error: when it cannot be read.
    """
    connection = connect_published(path)
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except READ_ERRORS:
        connection.close()
        raise
    if (application, version) != (APPLICATION_ID, VERSION):
        connection.close()
        raise IndexNotReady(
            f"the index {path.name!r} was built by another version of this program; upload a file to the collection, "
            "or remove one, to rebuild it"
        )
    return connection


@dataclass(slots=True)
class _Writer:
    """Adds passages one by one, and their vectors in rows."""

    connection: sqlite3.Connection
    dimensions: int
    _count: int = 0
    _files: list[tuple[str, str, str, int]] = field(default_factory=list)
    _last: tuple[str, int] = ("", -1)
    _vectors: list[bytes] = field(default_factory=list)

    def add(self, source_id: str, passage: StoredPassage) -> None:
        """Add a passage, which comes after the one before."""
        if (source_id, passage.number) <= self._last:
            raise IndexWriteFailed(f"passage {passage.number} of {source_id} is not in order")
        self._last = (source_id, passage.number)
        self._count += 1
        file = (source_id, passage.source_filename, passage.course_id)
        if not self._files or self._files[-1][:3] != file:
            self._files.append((*file, self._count))
        self.connection.execute(
            "INSERT INTO passages VALUES (?, ?, ?, ?)",
            (self._count, passage.number, passage.page_number, passage.text),
        )
        terms = " ".join(map(encode_term, index_terms(passage.text)))
        self.connection.execute("INSERT INTO terms (rowid, body) VALUES (?, ?)", (self._count, terms))
        self._vectors.append(self._vector(passage))
        if len(self._vectors) == PASSAGES_A_ROW:
            self._write_vectors()

    def finish(self) -> WrittenFile:
        """Write what is left."""
        self._write_vectors()
        starts: Sequence[int] = [each[3] for each in self._files] + [self._count + 1]
        for number, file in enumerate(self._files):
            self.connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", (*file, starts[number + 1] - file[3]))
        return WrittenFile(sorted({each[0] for each in self._files}), self._count)

    def _write_vectors(self) -> None:
        if self._vectors:
            first = self._count - len(self._vectors) + 1
            self.connection.execute("INSERT INTO vectors VALUES (?, ?)", (first, b"".join(self._vectors)))
            self._vectors.clear()

    def _vector(self, passage: StoredPassage) -> bytes:
        try:
            vector = base64.b64decode(passage.vector, validate=True)
        except binascii.Error as error:
            raise IndexWriteFailed(f"the vector of passage {passage.number} is damaged") from error
        if len(vector) != self.dimensions * _BYTES_A_NUMBER:
            raise IndexWriteFailed(
                f"the vector of passage {passage.number} has {len(vector) // _BYTES_A_NUMBER} dimensions, not "
                f"{self.dimensions}"
            )
        return vector
