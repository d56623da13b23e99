"""Recovers a missing or damaged manifest from the results of the work units."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.errors import ManifestError
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store.manifest import load_manifest
from tribal.store.records import read_record
from tribal.store.watched import report_damage
from tribal_contracts import (
    SCHEMA_VERSION,
    CatalogReading,
    DatabaseManifest,
    DocumentationManifest,
    IndexableFile,
    UnitResult,
    WorkUnitManifest,
)

DAMAGED = "IDX_MANIFEST_INVALID"
"""Code of a damaged manifest; one of another version, or an unfinished one, has its own code."""

_UNKNOWN_HASH = "0" * 64
_UNKNOWN_TIME = "1970-01-01T00:00:00Z"


def documented_before(store: ObjectStore) -> DocumentationManifest | None:
    """The manifest or, if it is missing or damaged, one rebuilt from the units' results; `None` without results.

    A rebuilt manifest lists only tables and units, and differs from every manifest of a run.

    Raises:
        ManifestError: when the manifest has another version or is unfinished.
    """
    try:
        stored = load_manifest(store)
    except ManifestError as error:
        if error.code != DAMAGED:
            raise
        report_damage(store, locations.MANIFEST_FILE)
    else:
        if stored is not None:
            return stored.manifest
    results = list(_results(store))
    return _gathered(results, store) if results else None


def _results(store: ObjectStore) -> Iterator[UnitResult]:
    for key in store.keys(locations.WORK_UNITS):
        if key.endswith("/result.json"):
            result = read_record(store, key, UnitResult)
            if result is not None:
                yield result


def _gathered(results: list[UnitResult], store: ObjectStore) -> DocumentationManifest:
    files: dict[str, IndexableFile] = {}
    for result in results:
        files |= {table.indexable.path: table.indexable for table in result.tables if table.indexable is not None}
    return DocumentationManifest(
        schema_version=SCHEMA_VERSION,
        completed_at=_UNKNOWN_TIME,
        plan_hash=_UNKNOWN_HASH,
        status="partial",
        databases=[_database(name, store) for name in sorted({result.database for result in results})],
        work_units=[_unit(result) for result in results],
        total_files=0,
        indexable_files=[files[path] for path in sorted(files)],
    )


def _database(name: str, store: ObjectStore) -> DatabaseManifest:
    reading = read_record(store, locations.latest_reading_file(name), CatalogReading)
    return DatabaseManifest(
        name=name,
        type=reading.type if reading else "postgres",
        tables_documented=0,
        tables_failed=0,
        domains=[],
        docs_directory=locations.database_directory(name),
    )


def _unit(result: UnitResult) -> WorkUnitManifest:
    return WorkUnitManifest(
        id=result.work_unit_id,
        status=result.status if result.status in ("completed", "failed") else "partial",
        output_directory=result.output_directory,
        files_generated=0,
        output_hash=_UNKNOWN_HASH,
        reprocessable=True,
    )
