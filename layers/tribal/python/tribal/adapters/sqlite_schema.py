"""The layout of the index file: tables, how terms are written for FTS5, and what tells our file from another."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tribal.ports import INDEX_VERSION, IndexFilter
from tribal_contracts import DocType

APPLICATION_ID = 0x54524B4E
"""Stands in the header of our files ("TRKN"), so that nobody else's database is ever thrown away."""

TERMS: dict[DocType, str] = {
    "table": "terms_table",
    "column": "terms_column",
    "domain": "terms_domain",
    "relationship": "terms_relationship",
}
"""One full-text table a type of record, so that columns do not make the words of tables common."""

MAX_TERMS = 64
"""Terms of one question that are looked at."""

_TABLES = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    doc_type TEXT NOT NULL,
    database_name TEXT NOT NULL,
    schema_name TEXT,
    table_name TEXT,
    column_name TEXT,
    domain TEXT,
    content TEXT NOT NULL,
    summary TEXT NOT NULL,
    keywords TEXT NOT NULL,
    file_path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    indexed_at TEXT NOT NULL,
    source_modified_at TEXT NOT NULL,
    source_path TEXT,
    structured TEXT,
    structured_domain TEXT,
    table_id INTEGER,
    database_type TEXT
);
CREATE INDEX documents_by_source ON documents (source_path);
CREATE INDEX documents_by_type ON documents (doc_type);
CREATE TABLE vectors (id INTEGER NOT NULL, kind TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (id, kind));
CREATE INDEX vectors_by_kind ON vectors (kind);
CREATE TABLE sources (path TEXT PRIMARY KEY, content_hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE index_metadata (
    last_full_index TEXT NOT NULL,
    manifest_hash TEXT NOT NULL,
    document_count INTEGER NOT NULL,
    embedding_count INTEGER NOT NULL,
    index_version TEXT NOT NULL,
    embedding_model TEXT NOT NULL,
    embedding_dimensions INTEGER NOT NULL
);
CREATE TABLE key_graph (graph TEXT NOT NULL);
CREATE TABLE generation (value TEXT NOT NULL);
INSERT INTO generation VALUES (hex(randomblob(8)));
"""
_DROPPED = ("documents", "vectors", "sources", "index_metadata", "key_graph", "generation", *TERMS.values())

FileState = Literal["absent", "ours", "other version", "damaged", "foreign"]


def create(connection: sqlite3.Connection) -> None:
    """Lay out an empty file; the caller holds the transaction."""
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    for table in TERMS.values():
        connection.execute(f"CREATE VIRTUAL TABLE {table} USING fts5(names, body, tokenize='ascii')")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {int(INDEX_VERSION)}")


def drop(connection: sqlite3.Connection) -> None:
    """Take every table of the layout away; the caller holds the transaction."""
    for table in _DROPPED:
        connection.execute(f"DROP TABLE IF EXISTS {table}")


def connect_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, shared between threads one at a time.

    Raises:
        sqlite3.OperationalError: when there is no such file or it may not be read.
    """
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False, timeout=10
    )
    connection.execute("PRAGMA query_only = ON")
    return connection


def inspect(path: Path) -> FileState:
    """What lies at the path; an empty file is as good as none."""
    try:
        if path.stat().st_size == 0:
            return "absent"
        connection = connect_reading(path)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except sqlite3.OperationalError:
        return "damaged"
    try:
        return state_of(connection)
    except sqlite3.DatabaseError:
        return "damaged"
    finally:
        connection.close()


def state_of(connection: sqlite3.Connection) -> FileState:
    """What an open file is by its header.

    Raises:
        sqlite3.DatabaseError: when it is no database at all.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID:
        return "foreign" if objects else "absent"
    return "ours" if version == int(INDEX_VERSION) else "other version"


def encode_term(term: str) -> str:
    """A term as FTS5 keeps it whole: letters and digits of ASCII as they are, all else as hexadecimal digits."""
    if term.isascii() and term.isalnum() and term == term.lower():
        return "t" + term
    return "x" + term.encode("utf-8", "surrogatepass").hex()


def match_expression(terms: Sequence[str]) -> str:
    """An FTS5 query for records that hold any of the terms; quoted, so that no term is read as an operator."""
    return " OR ".join(f'"{encode_term(term)}"' for term in terms)


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """The terms that are asked for: each once, none empty, no more than `MAX_TERMS`."""
    return [term for term in dict.fromkeys(terms) if term][:MAX_TERMS]


def conditions(where: IndexFilter) -> tuple[str, list[str]]:
    """A filter as SQL over `documents d`, beginning with AND where it says anything, with its parameters."""
    parts: list[str] = []
    parameters: list[str] = []
    for column, value in (("database_name", where.database), ("domain", where.domain)):
        if value is not None:
            parts.append(f"d.{column} = ?")
            parameters.append(value)
    scope = where.scope
    if scope.databases is not None:
        parts.append(f"d.database_name IN ({_marks(len(scope.databases))})")
        parameters.extend(sorted(scope.databases))
    if scope.schemas is not None:
        pairs = sorted(scope.schemas)
        databases = sorted({database for database, _ in pairs})
        both = f"(d.database_name, d.schema_name) IN (VALUES {', '.join(['(?, ?)'] * len(pairs))})" if pairs else "0"
        parts.append(f"({both} OR (d.schema_name IS NULL AND d.database_name IN ({_marks(len(databases))})))")
        parameters.extend(part for pair in pairs for part in pair)
        parameters.extend(databases)
    return "".join(f" AND {part}" for part in parts), parameters


def _marks(count: int) -> str:
    return ", ".join("?" * count)
