"""The comments on the schemas of a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tribal.errors import ObjectNotFound
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import iterate_snapshot, read_first_line, read_record
from tribal_contracts import CatalogReading, CatalogSchema, CatalogSnapshot, DatabaseAnalysis


def schema_comments(databases: Iterable[DatabaseAnalysis], store: ObjectStore) -> Mapping[tuple[str, str], str]:
    """Comments by database and schema, read from the first line of each database's snapshot.

    Raises:
        ObjectDamaged: when a snapshot is damaged.
    """
    comments = {}
    for analysis in databases:
        for schema in _schemas(analysis, store):
            if schema.comment:
                comments[analysis.name, schema.name] = schema.comment
    return comments


def _schemas(analysis: DatabaseAnalysis, store: ObjectStore) -> Sequence[CatalogSchema]:
    reading = read_record(store, locations.latest_reading_file(analysis.name), CatalogReading)
    key = locations.snapshot_file(analysis.name, analysis.schema_hash)
    if reading is None or reading.snapshot_file != key:
        snapshot = read_first_line(store, key, CatalogSnapshot)
        return snapshot.schemas if snapshot else ()
    try:
        return iterate_snapshot(store, reading)[0].schemas
    except ObjectNotFound:
        return ()
