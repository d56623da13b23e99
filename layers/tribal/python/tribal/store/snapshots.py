"""Snapshots of the structure of databases, checked against the hash in their reading; their names and comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import ValidationError

from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity.locations import latest_reading_file, names_file, snapshot_file
from tribal.ports import ObjectStore
from tribal.store.records import (
    UNREADABLE,
    content_hash,
    first_problem,
    put_record_if_changed,
    read_first_line,
    read_record,
)
from tribal_contracts import (
    CatalogNames,
    CatalogReading,
    CatalogSchema,
    CatalogSnapshot,
    CatalogTable,
    DatabaseAnalysis,
)


def iterate_snapshot(store: ObjectStore, reading: CatalogReading) -> tuple[CatalogSnapshot, Iterator[CatalogTable]]:
    """The header of a reading's snapshot and an iterator over its tables.

    Raises, also during iteration:
        ObjectNotFound: when the snapshot is not in the store.
        ObjectDamaged: when it is damaged.
    """
    key = reading.snapshot_file or ""
    if reading.snapshot_hash is not None and content_hash(store, key) not in (None, reading.snapshot_hash):
        raise damaged(key, "its hash does not match")
    lines = store.lines(key)
    first = next(lines, b"")
    try:
        header = CatalogSnapshot.from_json(first)
    except ValidationError as error:
        raise damaged(key, first_problem(error)) from error
    return header, _tables(key, lines)


def _tables(key: str, lines: Iterator[bytes]) -> Iterator[CatalogTable]:
    for line in lines:
        try:
            table = CatalogTable.from_json(line)
        except ValidationError as error:
            raise damaged(key, first_problem(error)) from error
        yield table


def damaged(key: str, why: str) -> ObjectDamaged:
    """The error for a damaged snapshot."""
    return ObjectDamaged(f"{key!r} is damaged ({why}); `tribal plan` or `tribal run` rebuilds it")


def write_names(store: ObjectStore, database: str, tables: Iterable[CatalogTable]) -> None:
    """Write the names of all tables and columns of a database, unless unchanged."""
    put_record_if_changed(store, names_file(database), _names(database, tables))


def read_names(store: ObjectStore, database: str) -> CatalogNames | None:
    """The names of all tables and columns of a database; `None` when it was never read.

    Uses the last snapshot if the file is missing or damaged, as after a plan without a model.
    """
    names = read_record(store, names_file(database), CatalogNames)
    if names is not None:
        return names
    reading = read_record(store, latest_reading_file(database), CatalogReading)
    if reading is None or reading.snapshot_file is None:
        return None
    try:
        _, tables = iterate_snapshot(store, reading)
        return _names(database, tables)
    except UNREADABLE:
        return None


def _names(database: str, tables: Iterable[CatalogTable]) -> CatalogNames:
    names: set[str] = set()
    columns: set[str] = set()
    for table in tables:
        names.add(table.table_name)
        columns.update(column.name for column in table.columns)
    return CatalogNames(schema_version="1.0", database=database, tables=sorted(names), columns=sorted(columns))


def schema_comments(
    databases: Iterable[DatabaseAnalysis], store: ObjectStore, domains: Iterable[tuple[str, str, str]]
) -> Mapping[tuple[str, str], str]:
    """Comments by database and schema, read from the first line of each database's snapshot.

    Args:
        databases: the databases.
        store: holds the snapshots.
        domains: database, schema and domain of each table; a schema that is split into domains has no comment here,
            because it says nothing of the single domain.

    Raises:
        ObjectDamaged: when a snapshot is damaged.
    """
    parts = Counter((database, schema) for database, schema, _ in set(domains))
    comments = {}
    for analysis in databases:
        for schema in _schemas(analysis, store):
            if schema.comment and parts[analysis.name, schema.name] <= 1:
                comments[analysis.name, schema.name] = schema.comment
    return comments


def _schemas(analysis: DatabaseAnalysis, store: ObjectStore) -> Sequence[CatalogSchema]:
    reading = read_record(store, latest_reading_file(analysis.name), CatalogReading)
    key = snapshot_file(analysis.name, analysis.schema_hash)
    if reading is None or reading.snapshot_file != key:
        snapshot = read_first_line(store, key, CatalogSnapshot)
        return snapshot.schemas if snapshot else ()
    try:
        return iterate_snapshot(store, reading)[0].schemas
    except ObjectNotFound:
        return ()
