"""The file of one generation of a collection's passages: its layout, and how it is written.

Passages are numbered from 0 in the order of their files. Equal passages give equal bytes, so that an index that is
built again after a kill has the same name. All passages that contain a term are one row, for BM25 to be computed at
once: FTS5 returns them one by one, which took .1 s of CPU time for a question to 100,000 passages.
"""

from __future__ import annotations

import base64
import binascii
import sqlite3
import sys
from array import array
from collections import Counter
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
POSITION, COUNT, LENGTH = "<u4", "<u1", "<u4"
"""Numbers of passages, how often a term occurs in each, and how many terms a passage has."""

_BYTES_A_NUMBER = 4
_TABLES = """
CREATE TABLE files (
    source_id TEXT NOT NULL,
    source_filename TEXT NOT NULL,
    course_id TEXT NOT NULL,
    first INTEGER PRIMARY KEY,
    passages INTEGER NOT NULL
);
CREATE TABLE passages (place INTEGER PRIMARY KEY, number INTEGER NOT NULL, page INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE vectors (first INTEGER PRIMARY KEY, lengths BLOB NOT NULL, vectors BLOB NOT NULL);
CREATE TABLE terms (term TEXT NOT NULL UNIQUE, places BLOB NOT NULL, counts BLOB NOT NULL);
"""
_MOST_COUNTED = 255
_PAGE_BYTES = 16_384
"""Passages of about 1,000 characters fill such pages; of SQLite's usual ones they leave a fifth empty."""


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
        settings = {
            "page_size": _PAGE_BYTES,
            "application_id": APPLICATION_ID,
            "user_version": VERSION,
            "journal_mode": "OFF",
            "synchronous": "OFF",
        }
        for name, value in settings.items():
            connection.execute(f"PRAGMA {name} = {value}")
        connection.execute("BEGIN")
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)
        writer = _Writer(connection, embedding.dimensions)
        for source_id, passage in passages:
            writer.add(source_id, passage)
        written = writer.finish()
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
            f"the index {path.name!r} was built by another version of this program; `tribal index` rebuilds it"
        )
    return connection


@dataclass(slots=True)
class _Writer:
    """Adds passages one by one, their vectors in rows, and all terms at the end."""

    connection: sqlite3.Connection
    dimensions: int
    _count: int = 0
    _files: list[tuple[str, str, str, int]] = field(default_factory=list)
    _last: tuple[str, int] = ("", -1)
    _lengths: array[int] = field(default_factory=lambda: array("I"))
    _vectors: list[bytes] = field(default_factory=list)
    _terms: dict[str, tuple[array[int], bytearray]] = field(default_factory=dict)

    def add(self, source_id: str, passage: StoredPassage) -> None:
        """Add a passage, which comes after the one before."""
        if (source_id, passage.number) <= self._last:
            raise IndexWriteFailed(f"passage {passage.number} of {source_id} is not in order")
        self._last = (source_id, passage.number)
        file = (source_id, passage.source_filename, passage.course_id)
        if not self._files or self._files[-1][:3] != file:
            self._files.append((*file, self._count))
        self.connection.execute(
            "INSERT INTO passages VALUES (?, ?, ?, ?)",
            (self._count, passage.number, passage.page_number, passage.text),
        )
        self._add_terms(passage.text)
        self._vectors.append(self._vector(passage))
        self._count += 1
        if len(self._vectors) == PASSAGES_A_ROW:
            self._write_vectors()

    def finish(self) -> WrittenFile:
        """Write what is left."""
        self._write_vectors()
        starts: Sequence[int] = [each[3] for each in self._files] + [self._count]
        for number, file in enumerate(self._files):
            self.connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", (*file, starts[number + 1] - file[3]))
        self.connection.executemany(
            "INSERT INTO terms VALUES (?, ?, ?)",
            ((encode_term(term), _packed(places), counts) for term, (places, counts) in sorted(self._terms.items())),
        )
        return WrittenFile(sorted({each[0] for each in self._files}), self._count)

    def _add_terms(self, text: str) -> None:
        counted = Counter(index_terms(text))
        self._lengths.append(counted.total())
        for term, count in counted.items():
            found = self._terms.get(term)
            if found is None:
                found = self._terms[term] = (array("I"), bytearray())
            found[0].append(self._count)
            found[1].append(min(_MOST_COUNTED, count))

    def _write_vectors(self) -> None:
        if self._vectors:
            first = self._count - len(self._vectors)
            row = (first, _packed(self._lengths), b"".join(self._vectors))
            self.connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", row)
            self._vectors.clear()
            del self._lengths[:]

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


def _packed(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers.tobytes()
