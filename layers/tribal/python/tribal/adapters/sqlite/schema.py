"""The layout of the index file: tables, the encoding of terms for FTS5, and the header that identifies the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tribal.ports import INDEX_VERSION
from tribal_contracts import DocType

APPLICATION_ID = 0x54524B4E
"""Identifies our files in the SQLite header ("TRKN"), so that no other database is ever deleted."""

TERMS: dict[DocType, str] = {
    "table": "terms_table",
    "column": "terms_column",
    "domain": "terms_domain",
    "relationship": "terms_relationship",
}
"""One full-text table per record type, so that columns do not skew the term statistics of tables."""

MAX_TERMS = 64
"""Maximum number of terms used from one query."""

# Records are numbered from 1, because FTS5 stores small ascending ids far more compactly than hashes. Long values
# (`structured`) and those shared by a whole file (`origins`) have separate tables, so that scanning records reads few
# pages. The view `documents` is what section 5.3 of the specification promises to readers with other tools.
_TABLES = """
CREATE TABLE sources (number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, content_hash TEXT);
CREATE TABLE origins (
    number INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    database_name TEXT NOT NULL,
    domain TEXT,
    file_path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    indexed_at TEXT NOT NULL,
    source_modified_at TEXT NOT NULL
);
CREATE INDEX origins_by_source ON origins (source);
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    origin INTEGER NOT NULL,
    doc_type TEXT NOT NULL,
    table_id INTEGER,
    schema_name TEXT,
    table_name TEXT,
    column_name TEXT,
    content TEXT NOT NULL,
    summary TEXT NOT NULL,
    keywords TEXT NOT NULL
);
CREATE INDEX records_by_origin ON records (origin);
CREATE INDEX records_by_type ON records (doc_type);
CREATE TABLE structured (
    number INTEGER PRIMARY KEY,
    database_type TEXT,
    kind TEXT,
    copy_of TEXT,
    is_junction INTEGER,
    partitions TEXT,
    long_words TEXT,
    document TEXT NOT NULL
);
CREATE TABLE vectors (
    origin INTEGER NOT NULL,
    kind TEXT NOT NULL,
    schema_name TEXT,
    ids BLOB NOT NULL,
    table_ids BLOB NOT NULL,
    vectors BLOB NOT NULL
);
CREATE TABLE mentions (word TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (word, number)) WITHOUT ROWID;
CREATE INDEX mentions_by_number ON mentions (number);
CREATE INDEX vectors_by_kind ON vectors (kind);
CREATE INDEX vectors_by_origin ON vectors (origin);
CREATE TABLE index_metadata (
    last_full_index TEXT NOT NULL,
    manifest_hash TEXT NOT NULL,
    document_count INTEGER NOT NULL,
    embedding_count INTEGER NOT NULL,
    index_version TEXT NOT NULL,
    embedding_model TEXT NOT NULL,
    embedding_dimensions INTEGER NOT NULL
);
CREATE VIEW documents AS
SELECT r.id, r.doc_type, o.database_name, r.schema_name, r.table_name, r.column_name, o.domain, r.content, r.summary,
  r.keywords, o.file_path, o.content_hash, o.indexed_at, o.source_modified_at
FROM records r JOIN origins o ON o.number = r.origin;
CREATE TABLE key_graph (graph TEXT NOT NULL);
CREATE TABLE made_with (model TEXT NOT NULL);
CREATE TABLE unreached (database_name TEXT PRIMARY KEY, last_read TEXT NOT NULL);
"""

_OWN_TABLES = ("documents", "index_metadata", "key_graph", "made_with", "origins", "sources", "structured", "vectors")
"""Together they show that a file is ours, even if its header no longer says so."""

READ_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises: SQLite's message may quote bytes that are not UTF-8."""

_CODES_OF_THE_MACHINE = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL),
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY),
}

FileState = Literal["absent", "ours", "other version", "damaged", "foreign"]


def create(connection: sqlite3.Connection, model: str) -> None:
    """Create the tables of an empty file, for vectors of that model, within the caller's transaction."""
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    for table in TERMS.values():
        connection.execute(f"CREATE VIRTUAL TABLE {table} USING fts5(names, body, prose, beyond, tokenize='ascii')")
    connection.execute("INSERT INTO made_with VALUES (?)", (model,))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {int(INDEX_VERSION)}")


def connect_published(path: Path) -> sqlite3.Connection:
    """A connection to an immutable file, usable by one thread at a time.

    Raises:
        sqlite3.DatabaseError: when the file does not exist, cannot be read, or is not a database.
    """
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cache_size = -4000")
    except BaseException:
        connection.close()
        raise
    return connection


def inspect(path: Path) -> FileState:
    """The state of the file at a path; an empty file counts as missing."""
    try:
        if path.stat().st_size == 0:
            return "absent"
        with closing(connect_published(path)) as connection:
            return state_of(connection)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except (*READ_ERRORS, OSError):
        return "damaged"


def is_damage(error: BaseException) -> bool:
    """Whether an error shows that the file is damaged, and not that it is locked or that the disk is full."""
    return isinstance(error, READ_ERRORS) and _code(error) not in _CODES_OF_THE_MACHINE


def is_read_only(error: BaseException) -> bool:
    """Whether a file is read-only, because of its permissions or a damaged header."""
    return _code(error) == sqlite3.SQLITE_READONLY


def _code(error: BaseException) -> int:
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF


def state_of(connection: sqlite3.Connection) -> FileState:
    """The state of an open file, from its header and its schema.

    Raises:
        sqlite3.DatabaseError: when it is not a database.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID:
        ours = connection.execute(f"SELECT count(*) FROM sqlite_master WHERE name IN {_OWN_TABLES}").fetchone()  # noqa: S608
        if ours == (len(_OWN_TABLES),):
            return "damaged"
        return "foreign" if objects else "absent"
    if version != int(INDEX_VERSION):
        return "other version"
    return "ours" if _created() <= _objects(connection) else "damaged"


def _objects(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    return set(connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master"))


@lru_cache(maxsize=1)
def _created() -> set[tuple[str, str, str]]:
    """The tables, indexes and views of a new file; computing them takes about 2 ms."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create(connection, "")
        return _objects(connection)


def encode_term(term: str) -> str:
    """A term that FTS5 keeps intact: ASCII letters and digits unchanged, everything else as hexadecimal digits."""
    if term.isascii() and term.isalnum() and term == term.lower():
        return "t" + term
    return "x" + term.encode("utf-8", "surrogatepass").hex()


Columns = Literal["", "names body prose", "names body"]
"""Columns of a full-text table that are searched; empty for all."""


def match_expression(term: str, columns: Columns = "") -> str:
    """An FTS5 query for records that contain a term in some columns, quoted so that no term acts as an operator."""
    quoted = f'"{encode_term(term)}"'
    return f"{{{columns}}} : {quoted}" if columns else quoted


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """The distinct non-empty terms of a query, at most `MAX_TERMS`."""
    return [term for term in dict.fromkeys(terms) if term][:MAX_TERMS]
