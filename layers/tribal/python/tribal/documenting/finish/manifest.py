"""The manifest: the only input of indexing; it always describes the whole store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tribal.documenting.finish.collected_documents import CollectedDocuments, TableEntry, UnitOutcome, files_by_unit
from tribal.documenting.finish.overviews import Overviews
from tribal.identity import locations
from tribal.identity.hashing import output_hash
from tribal.ports import ObjectStore
from tribal.store import content_hash, read_record
from tribal_contracts import (
    AgentError,
    CatalogReading,
    DatabaseManifest,
    DatabaseType,
    DocumentationManifest,
    RunOutline,
    RunRecord,
    WorkUnitManifest,
    agent_error,
)


def build_manifest(
    outline: RunOutline,
    found: CollectedDocuments,
    previous: DocumentationManifest | None,
    others: Overviews,
    *,
    store: ObjectStore,
    now: str,
) -> DocumentationManifest:
    """The manifest of these tables and the other files; times change only for changed entries."""
    units = _units(found, previous, store, now)
    unreachable = any(analysis.status == "unreachable" for analysis in outline.databases)
    whole = all(unit.status == "completed" for unit in units) and not unreachable and not others.failures
    tables = [entry.indexable for entry in found.tables.values()]
    manifest = DocumentationManifest(
        schema_version="1.0",
        completed_at=now,
        plan_hash=outline.plan_hash,
        status="complete" if whole else "partial",
        databases=_databases(outline, found, previous, store),
        work_units=units,
        total_files=2 * len(tables) + len(others.files) + len(others.pages),
        indexable_files=sorted([*tables, *others.files], key=lambda file: file.path),
    )
    return previous if previous is not None and _without_times(previous) == _without_times(manifest) else manifest


def _without_times(manifest: DocumentationManifest) -> object:
    return manifest.model_dump(
        mode="json",
        exclude={"completed_at": True, "work_units": {"__all__": {"errors": {"__all__": {"timestamp": True}}}}},
    )


def _units(
    found: CollectedDocuments, previous: DocumentationManifest | None, store: ObjectStore, now: str
) -> list[WorkUnitManifest]:
    entries = files_by_unit(found.tables)
    known = {unit.id: unit for unit in previous.work_units} if previous else {}
    before = _paths_by_unit(previous)
    units = [_own_unit(outcome, entries.get(unit_id, []), store, now) for unit_id, outcome in found.units.items()]
    for unit_id, carried in entries.items():
        if unit_id in found.units:
            continue
        earlier = known.get(unit_id)
        same = {(e.indexable.path, e.indexable.content_hash) for e in carried} == before.get(unit_id)
        # An entry built from the units' results, without a manifest, does not count its files.
        units.append(
            earlier if earlier and earlier.files_generated and same else _carried_unit(unit_id, earlier, carried, store)
        )
    return sorted(units, key=lambda unit: unit.id)


def _paths_by_unit(previous: DocumentationManifest | None) -> dict[str, set[tuple[str, str]]]:
    paths: dict[str, set[tuple[str, str]]] = {}
    for file in previous.indexable_files if previous else ():
        if file.type == "table":
            paths.setdefault(file.work_unit or "", set()).add((file.path, file.content_hash))
    return paths


def _own_unit(outcome: UnitOutcome, entries: Sequence[TableEntry], store: ObjectStore, now: str) -> WorkUnitManifest:
    errors = list(outcome.errors)
    if outcome.unfinished:
        errors.append(_pending(outcome.unit_id, now))
    files = _files(entries, store)
    return WorkUnitManifest(
        id=outcome.unit_id,
        status=outcome.status if outcome.status in ("completed", "failed") else "partial",
        output_directory=outcome.output_directory,
        files_generated=len(files),
        output_hash=output_hash(files),
        reprocessable=outcome.reprocessable,
        errors=errors or None,
    )


def _pending(unit_id: str, now: str) -> AgentError:
    message = f"work unit {unit_id!r} is not fully documented yet; run `tribal document` to continue"
    return agent_error("DOC_UNIT_PENDING", message, timestamp=now, context={"work_unit": unit_id})


def _carried_unit(
    unit_id: str, earlier: WorkUnitManifest | None, entries: Sequence[TableEntry], store: ObjectStore
) -> WorkUnitManifest:
    files = _files(entries, store)
    return WorkUnitManifest(
        id=unit_id,
        status=earlier.status if earlier else "completed",
        output_directory=earlier.output_directory if earlier else entries[0].indexable.path.rpartition("/")[0],
        files_generated=len(files),
        output_hash=output_hash(files),
        reprocessable=earlier.reprocessable if earlier else True,
        errors=earlier.errors if earlier else None,
    )


def _files(entries: Iterable[TableEntry], store: ObjectStore) -> list[tuple[str, str]]:
    files = []
    for entry in entries:
        files.append((entry.indexable.path, entry.indexable.content_hash))
        if entry.page is not None:
            files.append((entry.page.path, entry.page.content_hash))
        elif (present := content_hash(store, locations.DOCS + entry.page_path)) is not None:
            files.append((entry.page_path, present))
    return files


def _databases(
    outline: RunOutline, found: CollectedDocuments, previous: DocumentationManifest | None, store: ObjectStore
) -> list[DatabaseManifest]:
    types: dict[str, DatabaseType] = {entry.name: entry.type for entry in previous.databases} if previous else {}
    types |= {analysis.name: analysis.type for analysis in outline.databases}
    domains: dict[str, set[str]] = {}
    documented: dict[str, int] = {}
    for entry in found.tables.values():
        file = entry.indexable
        documented[file.database] = documented.get(file.database, 0) + 1
        domains.setdefault(file.database, set()).add(file.domain or "")
    names = {analysis.name for analysis in outline.databases} | set(documented)
    last_read = _last_read(outline, previous, store)
    return [
        DatabaseManifest(
            name=name,
            type=types[name],
            docs_directory=locations.database_directory(name),
            tables_documented=documented.get(name, 0),
            tables_failed=found.failed.get(name, 0),
            domains=sorted(domains.get(name, set())),
            last_read=last_read.get(name),
        )
        for name in sorted(names)
    ]


def _last_read(outline: RunOutline, previous: DocumentationManifest | None, store: ObjectStore) -> dict[str, str]:
    """When databases that do not respond, or were not read since they last failed, were last read."""
    known = {each.name: each.last_read for each in previous.databases if each.last_read} if previous else {}
    for analysis in outline.databases:
        if analysis.status == "reachable":
            known.pop(analysis.name, None)
        elif analysis.name not in known and (read_at := _last_reading(analysis.name, store)) is not None:
            known[analysis.name] = read_at
    return known


def _last_reading(database: str, store: ObjectStore) -> str | None:
    """The start of the last run that reached a database; `None` if there is no record."""
    runs = {key.removeprefix(locations.RUNS).partition("/")[0] for key in store.keys(locations.RUNS)}
    for run_id in sorted(runs, reverse=True):
        reading = read_record(store, locations.run_reading_file(run_id, database), CatalogReading)
        if reading is not None and reading.status == "reachable":
            record = read_record(store, locations.run_file(run_id), RunRecord)
            return record.started_at if record else None
    return None
