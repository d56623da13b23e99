"""How records go into the index file and come out of it again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tribal.adapters.sqlite_schema import TERMS, encode_term
from tribal.adapters.sqlite_vectors import to_blob
from tribal.catalog.hashing import record_id
from tribal.ports import IndexEntry, TableEntry, VectorKind
from tribal_contracts import DatabaseType, DocumentRecord, DomainDocument, TableDocument

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PLAIN_FIELDS = (
    *("id", "doc_type", "database_name", "schema_name", "table_name", "column_name", "domain", "content", "summary"),
    *("keywords", "file_path", "content_hash", "indexed_at", "source_modified_at", "source_path"),
)
_STORED_FIELDS = (*_PLAIN_FIELDS, "structured", "structured_domain", "table_id", "database_type")
_INSERT = f"INSERT INTO documents ({', '.join(_STORED_FIELDS)}) VALUES ({', '.join('?' * len(_STORED_FIELDS))})"  # noqa: S608
_SELECT = f"SELECT {', '.join(_PLAIN_FIELDS)}, structured, structured_domain FROM documents d WHERE "  # noqa: S608 - our own names
_IDS_AT_ONCE = 500


def write_files(
    connection: sqlite3.Connection,
    changed: Mapping[str, Sequence[IndexEntry]],
    removed: Iterable[str],
    hashes: Mapping[str, str],
) -> None:
    """Replace what the files had; the caller holds the transaction."""
    for path in (*changed, *removed):
        old = connection.execute("SELECT id FROM documents WHERE source_path = ?", (path,)).fetchall()
        _delete(connection, [row[0] for row in old])
        connection.execute("DELETE FROM sources WHERE path = ?", (path,))
    for path, entries in changed.items():
        by_id = {entry.record.id: entry for entry in entries}
        # The same record may still be there from another file, when a table has moved to another domain.
        _delete(connection, list(by_id))
        for entry in by_id.values():
            _insert(connection, entry, path)
        content_hash = hashes.get(path) or (entries[0].record.content_hash if entries else None)
        if content_hash is not None:
            connection.execute("INSERT INTO sources VALUES (?, ?)", (path, content_hash))


def _delete(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    for some in _batches(ids):
        marks = ", ".join("?" * len(some))
        for table in TERMS.values():
            connection.execute(f"DELETE FROM {table} WHERE rowid IN ({marks})", some)  # noqa: S608 - our own names
        connection.execute(f"DELETE FROM vectors WHERE id IN ({marks})", some)  # noqa: S608 - question marks
        connection.execute(f"DELETE FROM documents WHERE id IN ({marks})", some)  # noqa: S608 - question marks


def _insert(connection: sqlite3.Connection, entry: IndexEntry, path: str) -> None:
    record = entry.record
    table, domain = record.structured, record.structured_domain
    source = {"source_path": path}
    connection.execute(
        _INSERT,
        (
            *(source.get(field, getattr(record, field)) for field in _PLAIN_FIELDS),
            None if table is None else table.to_compact_json().decode(),
            None if domain is None else domain.to_compact_json().decode(),
            _table_id(record),
            None if table is None else table.database_type,
        ),
    )
    connection.execute(
        f"INSERT INTO {TERMS[record.doc_type]} (rowid, names, body) VALUES (?, ?, ?)",  # noqa: S608 - our own names
        (record.id, _encoded(entry.names), _encoded(entry.body)),
    )
    vectors: tuple[tuple[VectorKind, NDArray[Any] | None], ...]
    vectors = ((record.doc_type, entry.vector), ("table_name", entry.name_vector))
    for kind, vector in vectors:
        blob = None if vector is None else to_blob(vector)
        if blob is not None:
            connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (record.id, kind, blob))


def _table_id(record: DocumentRecord) -> int | None:
    if record.doc_type not in ("table", "column") or record.schema_name is None or record.table_name is None:
        return None
    return record_id("table", record.database_name, record.schema_name, record.table_name)


def _encoded(terms: Sequence[str]) -> str:
    return " ".join(encode_term(term) for term in terms)


def read_records(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, DocumentRecord]:
    """Records in the order of their ids; an unknown id is left out."""
    found: dict[int, DocumentRecord] = {}
    for some in _batches(list(dict.fromkeys(ids))):
        marks = ", ".join("?" * len(some))
        for row in connection.execute(f"{_SELECT} d.id IN ({marks})", some):
            found[row[0]] = _record(row)
    return {record_id: found[record_id] for record_id in ids if record_id in found}


def read_domain_records(
    connection: sqlite3.Connection, condition: str, parameters: Sequence[str]
) -> list[DocumentRecord]:
    """Records of domains, in order of domain and database."""
    rows = connection.execute(f"{_SELECT} d.doc_type = 'domain'{condition}", parameters)
    return sorted((_record(row) for row in rows), key=lambda record: (record.domain or "", record.database_name))


def read_tables(connection: sqlite3.Connection) -> tuple[TableEntry, ...]:
    """Every table, in order of its name."""
    rows = connection.execute(
        "SELECT id, database_name, schema_name, table_name, domain, database_type FROM documents"
        " WHERE doc_type = 'table'"
    )
    return tuple(sorted(map(_table_entry, rows), key=lambda entry: (entry.database, entry.schema, entry.table)))


def _table_entry(row: tuple[int, str, str | None, str | None, str | None, DatabaseType | None]) -> TableEntry:
    record, database, schema, table, domain, kind = row
    return TableEntry(record, database, schema or "", table or "", domain or "", kind or "postgres")


def _record(row: tuple[object, ...]) -> DocumentRecord:
    fields: dict[str, object] = dict(zip(_PLAIN_FIELDS, row, strict=False))
    structured, structured_domain = row[len(_PLAIN_FIELDS) :]
    if isinstance(structured, str):
        fields["structured"] = TableDocument.from_json(structured)
    if isinstance(structured_domain, str):
        fields["structured_domain"] = DomainDocument.from_json(structured_domain)
    return DocumentRecord.model_validate(fields)


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))
