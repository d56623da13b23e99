"""Writes records to the index file and reads them back."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tribal.adapters.sqlite.schema import TERMS, encode_term
from tribal.adapters.sqlite.vectors import VectorRow, without_records
from tribal.joins.graph import is_junction
from tribal.ports import IndexedTable, IndexEntry, VectorKind
from tribal.ports.index.reader import Part
from tribal_contracts import DocType, DocumentRecord, DomainDocument, TableCopy, TableDocument

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

_FIELDS = (
    *("id", "doc_type", "database_name", "schema_name", "table_name", "column_name", "domain", "content", "summary"),
    *("keywords", "file_path", "content_hash", "indexed_at", "source_modified_at", "source_path"),
)
_SELECT = """
SELECT r.id, r.doc_type, o.database_name, r.schema_name, r.table_name, r.column_name, o.domain, r.content, r.summary,
  r.keywords, o.file_path, o.content_hash, o.indexed_at, o.source_modified_at, s.path, t.document
FROM records r JOIN origins o ON o.number = r.origin JOIN sources s ON s.number = o.source
LEFT JOIN structured t ON t.number = r.number WHERE
"""
_SELECT_DOCUMENTS = """
SELECT r.id, t.document FROM records r JOIN structured t ON t.number = r.number WHERE +r.doc_type = 'table' AND
"""
"""The sign keeps SQLite from looking at all tables: ids are looked up."""
_SELECT_TABLES = """
SELECT r.id, o.database_name, r.schema_name, r.table_name, o.domain, t.database_type, t.kind, t.copy_of, t.is_junction,
  t.partitions
FROM records r JOIN origins o ON o.number = r.origin LEFT JOIN structured t ON t.number = r.number
WHERE r.doc_type = 'table'
"""
_IDS_AT_ONCE = 500

Value = TypeVar("Value")


def write_files(
    connection: sqlite3.Connection,
    changed: Mapping[str, Sequence[IndexEntry]],
    removed: Iterable[str],
    hashes: Mapping[str, str],
) -> None:
    """Replace the records of files, within the caller's transaction."""
    for path in (*changed, *removed):
        _forget_file(connection, path)
    entries = [entry for several in changed.values() for entry in several]
    # The same record may still exist under another file, when a table has moved to another domain.
    _forget_records(connection, [entry.record.id for entry in entries])
    writing = _Writing(connection)
    for path, several in changed.items():
        content_hash = hashes.get(path) or (several[0].record.content_hash if several else None)
        writing.file(path, content_hash, {entry.record.id: entry for entry in several}.values())
    writing.flush()


def _forget_file(connection: sqlite3.Connection, path: str) -> None:
    source = connection.execute("SELECT number FROM sources WHERE path = ?", (path,)).fetchone()
    if source is None:
        return
    origins = [row[0] for row in connection.execute("SELECT number FROM origins WHERE source = ?", source)]
    for origin in origins:
        found = connection.execute("SELECT number, doc_type FROM records WHERE origin = ?", (origin,)).fetchall()
        _forget_numbers(connection, found)
        connection.execute("DELETE FROM vectors WHERE origin = ?", (origin,))
    connection.execute("DELETE FROM origins WHERE source = ?", source)
    connection.execute("DELETE FROM sources WHERE number = ?", source)


def _forget_records(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    for some in _batches(ids):
        query = f"SELECT number, doc_type, id, origin FROM records WHERE id IN ({_marks(some)})"  # noqa: S608
        found = connection.execute(query, some).fetchall()
        _forget_numbers(connection, [row[:2] for row in found])
        for origin in {row[3] for row in found}:
            without_records(connection, origin, [row[2] for row in found])


def _forget_numbers(connection: sqlite3.Connection, found: Sequence[tuple[int, DocType]]) -> None:
    numbers = [(number,) for number, _ in found]
    connection.executemany("DELETE FROM records WHERE number = ?", numbers)
    connection.executemany("DELETE FROM structured WHERE number = ?", numbers)
    connection.executemany("DELETE FROM mentions WHERE number = ?", numbers)
    for doc_type in {doc_type for _, doc_type in found}:
        of_type = [(number,) for number, kind in found if kind == doc_type]
        connection.executemany(f"DELETE FROM {TERMS[doc_type]} WHERE rowid = ?", of_type)  # noqa: S608 - our own names


class _Writing:
    """Collects rows for each table, to insert them with one statement per table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._source = self._last("sources")
        self._origin = self._last("origins")
        self._number = self._last("records")
        self._sources: list[tuple[object, ...]] = []
        self._origins: list[tuple[object, ...]] = []
        self._records: list[tuple[object, ...]] = []
        self._structured: list[tuple[object, ...]] = []
        self._terms: defaultdict[DocType, list[tuple[object, ...]]] = defaultdict(list)
        self._mentions: list[tuple[object, ...]] = []
        self._vectors: list[tuple[object, ...]] = []

    def _last(self, table: str) -> int:
        found = self._connection.execute(f"SELECT coalesce(max(number), 0) FROM {table}").fetchone()  # noqa: S608
        return int(found[0])

    def file(self, path: str, content_hash: str | None, entries: Collection[IndexEntry]) -> None:
        """Add the records of one file."""
        self._source += 1
        self._sources.append((self._source, path, content_hash))
        origins: dict[tuple[object, ...], int] = {}
        vectors: dict[tuple[int, VectorKind, str | None], VectorRow] = {}
        for entry in entries:
            record = entry.record
            origin = self._origin_of(record, origins)
            self._number += 1
            table_id = entry.table_id
            self._records.append(
                (
                    *(self._number, record.id, origin, record.doc_type, table_id, record.schema_name),
                    *(record.table_name, record.column_name, record.content, record.summary, record.keywords),
                )
            )
            self._structure(entry)
            terms = (" ".join(map(encode_term, some)) for some in (entry.names, entry.body, entry.prose, entry.beyond))
            self._terms[record.doc_type].append((self._number, *terms))
            self._mentions += [(word, self._number) for word in dict.fromkeys(entry.mentions)]
            of_kinds: tuple[tuple[VectorKind, NDArray[Any] | None], ...]
            of_kinds = ((record.doc_type, entry.vector), ("table_name", entry.name_vector))
            for kind, vector in of_kinds:
                if vector is not None:
                    place = (origin, kind, record.schema_name)
                    vectors.setdefault(place, VectorRow()).add(record.id, table_id, vector)
        self._vectors += [(*place, *row.blobs()) for place, row in vectors.items() if row.ids]

    def _origin_of(self, record: DocumentRecord, known: dict[tuple[object, ...], int]) -> int:
        facts = (
            *(record.database_name, record.domain, record.file_path, record.content_hash, record.indexed_at),
            record.source_modified_at,
        )
        number = known.get(facts)
        if number is None:
            self._origin += 1
            number = known[facts] = self._origin
            self._origins.append((number, self._source, *facts))
        return number

    def _structure(self, entry: IndexEntry) -> None:
        record = entry.record
        table, domain = record.structured, record.structured_domain
        if table is not None:
            copy = None if table.copy_of is None else table.copy_of.to_compact_json().decode()
            document = table.to_compact_json().decode()
            partitions = None if table.partitions is None else json.dumps(table.partitions)
            about = (self._number, table.database_type, table.kind, copy, is_junction(table), partitions)
            self._structured.append((*about, " ".join(entry.long_words) or None, document))
        elif domain is not None:
            document = domain.to_compact_json().decode()
            self._structured.append((self._number, domain.database_type, None, None, None, None, None, document))

    def flush(self) -> None:
        """Write all collected rows."""
        for table, rows in (
            *(("sources", self._sources), ("origins", self._origins), ("records", self._records)),
            *(("structured", self._structured), ("vectors", self._vectors), ("mentions", self._mentions)),
        ):
            if rows:
                marks = _marks(rows[0])
                self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
        for doc_type, terms in self._terms.items():
            self._connection.executemany(
                f"INSERT INTO {TERMS[doc_type]} (rowid, names, body, prose, beyond) VALUES (?, ?, ?, ?, ?)",  # noqa: S608 - our own names
                terms,
            )


def read_records(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, DocumentRecord]:
    """Records by id; unknown ids are left out."""
    found: dict[int, DocumentRecord] = {}
    for some in _batches(list(dict.fromkeys(ids))):
        for row in connection.execute(f"{_SELECT} r.id IN ({_marks(some)})", some):
            found[row[0]] = _record(row)
    return {record_id: found[record_id] for record_id in ids if record_id in found}


def read_documents(connection: sqlite3.Connection, ids: Sequence[int], part: type[Part]) -> dict[int, Part]:
    """What `part` has of the documents of tables by id; ids that are unknown or no table's are left out."""
    found: dict[int, Part] = {}
    for some in _batches(list(dict.fromkeys(ids))):
        for number, document in connection.execute(f"{_SELECT_DOCUMENTS} r.id IN ({_marks(some)})", some):
            found[number] = part.from_json(document)
    return {record_id: found[record_id] for record_id in ids if record_id in found}


def read_domain_records(connection: sqlite3.Connection) -> list[DocumentRecord]:
    """The record of every domain, ordered by domain and database."""
    records = map(_record, connection.execute(f"{_SELECT} r.doc_type = 'domain'"))
    return sorted(records, key=lambda record: (record.domain or "", record.database_name))


def read_mentioning(connection: sqlite3.Connection, words: Iterable[str]) -> set[int]:
    """Ids of the records that mention any of the words."""
    found: set[int] = set()
    for some in _batches(sorted(words)):
        query = f"SELECT r.id FROM mentions m JOIN records r USING (number) WHERE m.word IN ({_marks(some)})"  # noqa: S608
        found.update(row[0] for row in connection.execute(query, some))
    return found


def read_long_words(connection: sqlite3.Connection) -> list[str]:
    """The long words of all tables, in order."""
    rows = connection.execute("SELECT long_words FROM structured WHERE long_words IS NOT NULL")
    return sorted({word for (words,) in rows for word in words.split()})


def read_tables(connection: sqlite3.Connection) -> tuple[IndexedTable, ...]:
    """Every table, ordered by name."""
    entries = map(_table_entry, connection.execute(_SELECT_TABLES))
    return tuple(sorted(entries, key=lambda entry: (entry.database, entry.schema, entry.table)))


def _table_entry(row: tuple[Any, ...]) -> IndexedTable:
    record, database, schema, table, domain, database_type, kind, copy, junction, partitions = row
    return IndexedTable(
        *(record, database, schema or "", table or "", domain or "", database_type or "postgres", kind or "table"),
        copy_of=None if copy is None else TableCopy.from_json(copy),
        is_junction=bool(junction),
        partitions=() if partitions is None else tuple(json.loads(partitions)),
    )


def _record(row: tuple[object, ...]) -> DocumentRecord:
    fields: dict[str, object] = dict(zip(_FIELDS, row, strict=False))
    document = row[-1]
    if isinstance(document, str):
        if fields["doc_type"] == "table":
            fields["structured"] = TableDocument.from_json(document)
        else:
            fields["structured_domain"] = DomainDocument.from_json(document)
    return DocumentRecord.model_validate(fields)


def _batches(ids: Sequence[Value]) -> Iterator[Sequence[Value]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
