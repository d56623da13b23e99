"""All names of a database, to check texts about its tables against."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.identity.locations import latest_reading_file, names_file
from tribal.ports import ObjectStore
from tribal.store.records import UNREADABLE, put_record_if_changed, read_record
from tribal.store.snapshots import iterate_snapshot
from tribal_contracts import CatalogNames, CatalogReading, CatalogTable


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
