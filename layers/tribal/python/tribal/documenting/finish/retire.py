"""Remove the files of moved and dropped tables, after publishing the manifest without them."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.documenting.finish.collected_documents import CollectedDocuments, page_of
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal.store import put_record_if_changed, read_record
from tribal_contracts import DocumentationManifest, TableResult, UnitResult


def retire(
    found: CollectedDocuments,
    previous: DocumentationManifest | None,
    manifest: DocumentationManifest,
    *,
    store: ObjectStore,
) -> None:
    """Remove files that the manifest does not list; only files recorded as written by a run are removed.

    Records are deleted after their files, so if this run is stopped here, the next one removes the rest.
    """
    live = _live_paths(manifest)
    for file in previous.indexable_files if previous else ():
        if file.path.casefold() not in live:
            _remove(store, [file.path, *_twin(file.path, file.type)], live)
    for unit_id, outcome in found.units.items():
        if outcome.departed:
            _remove(store, [file.path for file in outcome.departed], live)
            _forget_departed(store, unit_id, live)
    for unit_id in _former_units(found, manifest, store):
        _retire_unit(unit_id, found, manifest, live, store)


def _live_paths(manifest: DocumentationManifest) -> set[str]:
    """The paths to keep with their case folded: on some file systems, paths that differ in case are one file."""
    live = {file.path for file in manifest.indexable_files}
    live |= {path for file in manifest.indexable_files for path in _twin(file.path, file.type)}
    return {path.casefold() for path in live}


def _twin(path: str, kind: str) -> list[str]:
    """The page next to an indexable file."""
    if kind == "table":
        return [page_of(path)]
    if kind == "relationship":
        return []
    return [path.rpartition("/")[0] + "/" * ("/" in path) + locations.CATALOG_OVERVIEW_PAGE]


def _remove(store: ObjectStore, paths: list[str], live: set[str]) -> None:
    for path in paths:
        if path.casefold() not in live:
            store.delete(locations.DOCS + path)


def _forget_departed(store: ObjectStore, unit_id: str, live: set[str]) -> None:
    key = locations.unit_result_file(unit_id)
    result = read_record(store, key, UnitResult)
    if result is not None:
        kept = [file for file in result.departed or () if file.path.casefold() in live]
        put_record_if_changed(store, key, result.model_copy(update={"departed": kept or None}))


def _former_units(found: CollectedDocuments, manifest: DocumentationManifest, store: ObjectStore) -> Iterator[str]:
    """Units with files in the store that are neither in this run nor in the manifest."""
    known = set(found.units) | {unit.id for unit in manifest.work_units}
    ids = {key.removeprefix(locations.WORK_UNITS).partition("/")[0] for key in store.keys(locations.WORK_UNITS)}
    yield from sorted(ids - known)


def _retire_unit(
    unit_id: str, found: CollectedDocuments, manifest: DocumentationManifest, live: set[str], store: ObjectStore
) -> None:
    result = read_record(store, locations.unit_result_file(unit_id), UnitResult)
    if result is None or not all(_can_be_removed(table, found) for table in result.tables):
        # Another run documented this unit and has not published it yet.
        return
    _remove(store, [file.path for table in result.tables for file in table.files], live)
    _remove(store, [file.path for file in result.departed or ()], live)
    domain = locations.domain_directory(result.database, result.domain)
    _remove(store, [f"{domain}/{name}" for name in ("domain.json", "relationships.json", "README.md")], live)
    if result.database not in {file.database for file in manifest.indexable_files}:
        folder = locations.database_directory(result.database)
        names = (locations.CATALOG_OVERVIEW, locations.CATALOG_OVERVIEW_PAGE)
        _remove(store, [f"{folder}/{name}" for name in names], live)
    store.delete(locations.unit_progress_file(unit_id))
    store.delete(locations.unit_result_file(unit_id))


def _can_be_removed(table: TableResult, found: CollectedDocuments) -> bool:
    """Whether a table is documented in another unit, was removed, or never had files."""
    return not table.files or table.name in found.tables or table.name in found.removed
