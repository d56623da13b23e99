"""Collect all documents after a run: the results of its units, and valid results of earlier runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tribal.documenting.progress import overall_status, table_status
from tribal.identity import locations
from tribal.identity.table_names import TableIdentity
from tribal.ports import ObjectStore, RunContext
from tribal.store import is_as_written, read_record, require_record
from tribal_contracts import (
    AgentError,
    AgentStatus,
    DocumentationManifest,
    IndexableFile,
    ModelQuote,
    RunOutline,
    UnitFailure,
    UnitResult,
    WorkUnit,
    WrittenFile,
)


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A documented table: its indexable file and its page."""

    name: str
    indexable: IndexableFile
    page: WrittenFile | None
    """`None` if only the manifest lists the table; `page_path` is set anyway."""

    @property
    def page_path(self) -> str:
        """The page's path, relative to `docs/`."""
        return page_of(self.indexable.path)


@dataclass(frozen=True, slots=True)
class UnitOutcome:
    """The state of one unit of this run."""

    unit_id: str
    output_directory: str
    status: AgentStatus
    unfinished: bool
    """Whether a planned table has not been processed yet."""
    reprocessable: bool
    errors: tuple[AgentError, ...]
    failed: tuple[str, ...]
    departed: tuple[WrittenFile, ...]


@dataclass(slots=True)
class CollectedDocuments:
    """Everything that goes into a manifest; `tables` by fully qualified name."""

    tables: dict[str, TableEntry] = field(default_factory=dict)
    units: dict[str, UnitOutcome] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    """Number of failed tables by database, including units outside this run."""
    unlinked: dict[str, frozenset[str]] = field(default_factory=dict)
    """By table, neighbours without a document, which its files do not link to."""
    removed: frozenset[str] = frozenset()
    """Tables that were dropped or are excluded by the configuration."""
    quote: ModelQuote | None = None
    """Estimated model usage of the run's units, from the plan."""


def page_of(json_path: str) -> str:
    """The Markdown page of a table's JSON file."""
    return json_path.removesuffix(".json") + ".md"


def collect_documents(
    outline: RunOutline, run: RunContext, previous: DocumentationManifest | None
) -> CollectedDocuments:
    """Read the units' results one at a time, and add the remaining tables of the previous manifest.

    Missing or damaged documents that this run did not rewrite are left out with a note.
    """
    store = run.store
    found = CollectedDocuments(removed=_removed(outline))
    planned: set[str] = set()
    broken = set(store.keys(locations.run_failures(outline.run_id)))
    for unit_id in outline.unit_ids:
        unit = require_record(store, locations.run_unit_file(outline.run_id, unit_id), WorkUnit)
        planned.update(spec.fully_qualified_name for spec in unit.tables)
        if unit.quote is not None:
            found.quote = (found.quote or ModelQuote()) + unit.quote
        result = read_record(store, locations.unit_result_file(unit_id), UnitResult)
        found.units[unit_id] = _outcome(unit, result)
        failure_file = locations.run_failure_file(outline.run_id, unit_id)
        if failure_file in broken:
            failure = require_record(store, failure_file, UnitFailure)
            found.units[unit_id] = _broken(found.units[unit_id], failure.error)
        found.failed[unit.database] += len(found.units[unit_id].failed)
        found.tables.update(_entries(unit, result, run))
        found.unlinked.update({t.name: frozenset(t.unlinked) for t in (result.tables if result else ()) if t.unlinked})
    for name, file in _earlier_tables(previous):
        if name not in found.tables and name not in found.removed and _exists(name, file, run):
            found.tables[name] = TableEntry(name, file, None)
    for database, names in _failed_in_other_units(found, previous, store):
        found.failed[database] += len(names - planned - found.removed)
    return found


def _removed(outline: RunOutline) -> frozenset[str]:
    return frozenset(
        name
        for analysis in outline.databases
        for names in (analysis.gone_tables, analysis.excluded_tables)
        for name in names or ()
    )


def _outcome(unit: WorkUnit, result: UnitResult | None) -> UnitOutcome:
    results = {table.name: table for table in result.tables} if result else {}
    own = [results.get(spec.fully_qualified_name) for spec in unit.tables]
    status: AgentStatus = (
        "running" if result and result.status == "running" else overall_status([table_status(t) for t in own])
    )
    return UnitOutcome(
        unit_id=unit.id,
        output_directory=unit.output_directory,
        status=status,
        unfinished=status == "running" or None in own,
        reprocessable=not unit.depends_on,
        errors=tuple(table.error for table in own if table and table.error),
        failed=tuple(table.name for table in own if table and table.status == "failed"),
        departed=tuple(result.departed or ()) if result else (),
    )


def _broken(outcome: UnitOutcome, error: AgentError) -> UnitOutcome:
    """The outcome of a unit whose documenter failed: finished tables are kept, and the error is added."""
    whole = outcome.status in ("pending", "failed")
    return replace(outcome, status="failed" if whole else "partial", unfinished=False, errors=(*outcome.errors, error))


def _exists(name: str, file: IndexableFile, run: RunContext) -> bool:
    if is_as_written(run.store, locations.DOCS + file.path, file.content_hash):
        return True
    run.sink.note(f"{file.path} is missing or damaged; {name} is left out until it can be documented again")
    return False


def _entries(unit: WorkUnit, result: UnitResult | None, run: RunContext) -> Iterator[tuple[str, TableEntry]]:
    """Tables of the unit that have files, possibly from an earlier run."""
    names = {spec.fully_qualified_name for spec in unit.tables}
    for table in result.tables if result else ():
        if table.name in names and table.indexable is not None:
            # Documented tables were just written or checked; failed ones keep the files of an earlier run.
            if table.status == "failed" and not _exists(table.name, table.indexable, run):
                continue
            page_path = page_of(table.indexable.path)
            page = next((file for file in table.files if file.path == page_path), None)
            yield table.name, TableEntry(table.name, table.indexable, page)


def _earlier_tables(previous: DocumentationManifest | None) -> Iterator[tuple[str, IndexableFile]]:
    for file in previous.indexable_files if previous else ():
        if file.type == "table" and file.schema_ is not None and file.table is not None:
            yield str(TableIdentity(file.database, file.schema_, file.table)), file


def _failed_in_other_units(
    found: CollectedDocuments, previous: DocumentationManifest | None, store: ObjectStore
) -> Iterator[tuple[str, set[str]]]:
    """Failed tables of units outside this run, by database."""
    for unit in previous.work_units if previous else ():
        if unit.id not in found.units:
            result = read_record(store, locations.unit_result_file(unit.id), UnitResult)
            if result is not None:
                yield result.database, {table.name for table in result.tables if table.status == "failed"}


def files_by_unit(tables: Mapping[str, TableEntry]) -> dict[str, list[TableEntry]]:
    """Entries by the unit that wrote them, sorted by path."""
    by_unit: dict[str, list[TableEntry]] = {}
    for entry in sorted(tables.values(), key=lambda entry: entry.indexable.path):
        by_unit.setdefault(entry.indexable.work_unit or "", []).append(entry)
    return by_unit
