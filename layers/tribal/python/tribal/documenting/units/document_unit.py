"""Document one work unit: idempotent, isolated, and resumable after every table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import BoundedSemaphore

from tribal.documenting.staleness import is_unchanged, needs_refresh, waits_for_model
from tribal.documenting.units.checkpoint import UnitCheckpoint
from tribal.documenting.units.document_table import TableDocumenter, UnitContext
from tribal.documenting.units.neighbours import published_descriptions, referenced_first
from tribal.errors import DescriptionPostponed, PlanError, RunInterrupted, ServerUnavailable, doing
from tribal.identity import locations
from tribal.ports import CatalogReader, DocumentingOptions, ProgressSink, RunContext
from tribal.store import require_record
from tribal.store.annotations import read_annotations
from tribal_contracts import CatalogSlice, TableResult, TableSpec, UnitResult, WorkUnit

STAGE = "document"
LOW_TIME_SECONDS = 20.0
"""With less time left, no table is started: the longest sample and the checkpoint must fit in.

The describer's longest wait for a model is added."""


@doing("documenting")
def document_unit(
    unit: WorkUnit,
    run: RunContext,
    reader: CatalogReader | None,
    options: DocumentingOptions,
    *,
    postpone: bool = False,
) -> UnitResult:
    """Document the changed tables of a unit; without a reader, they get no samples.

    When time runs out or a stop is requested, the result has the status "running". Called again in the same run, it
    continues with the remaining tables only, even if the options force or refresh others. With `postpone`, tables
    whose server is unavailable also remain. If the describer uses a model, more than `tables_at_once` tables are
    processed at once, but not sampled at once.

    Raises:
        ConfigurationError: when the database's annotations cannot be used.
        PlanError: when the unit has no slice.
        StoreError: when the store cannot be read or written.
    """
    if unit.slice_file is None:
        raise PlanError(f"work unit {unit.id!r} has no slice; run `tribal plan` again", code="WORK_UNIT_INVALID")
    store = run.store
    part = require_record(store, unit.slice_file, CatalogSlice, locations.slice_hash(unit.slice_file))
    asks = any(entry.name == unit.database and run.options.described_by_model(entry) for entry in run.options.databases)
    context = UnitContext(
        unit=unit,
        part=part,
        annotations=read_annotations(store, unit.database),
        store=store,
        reader=reader,
        describer=run.describers.of(unit.database),
        clock=run.clock,
        options=options,
        published=published_descriptions(part, store) if asks else {},
        postpone=postpone,
        sampling=BoundedSemaphore(options.tables_at_once),
    )
    checkpoint = UnitCheckpoint(unit, run_id=run.run_id, store=store, clock=run.clock, record_pid=options.record_pid)
    left = [spec for spec in unit.tables if spec.fully_qualified_name not in checkpoint.done_in_this_run]
    work = [spec for spec in left if _has_work(context, spec, checkpoint.earlier(spec.fully_qualified_name))]
    waiting = {spec.fully_qualified_name for spec in work}
    kept = [spec.fully_qualified_name for spec in unit.tables if spec.fully_qualified_name not in waiting]
    checkpoint.keep(kept)
    for name in sorted(set(kept) - checkpoint.done_in_this_run):
        run.sink.advance(STAGE, name, "unchanged")
    _note_unknown_columns(context, run.sink)
    if not work:
        return checkpoint.close(complete=True, query_ms=0)
    checkpoint.begin()
    return _UnitWork(context, checkpoint, run).process(referenced_first(work, part))


def _has_work(context: UnitContext, spec: TableSpec, earlier: TableResult | None) -> bool:
    options = context.options
    if earlier is None:
        return True
    if options.retry_failed:
        return earlier.status == "failed" or _can_ask_again(context, spec, earlier)
    if options.force:
        return True
    if is_unchanged(earlier, context.input_hash(spec), context.store):
        return _can_refresh(context) and needs_refresh(earlier, context.clock, options)
    if context.reader is None and is_unchanged(earlier, context.input_hash(spec, sampled=False), context.store):
        return waits_for_model(earlier)
    return True


def _can_ask_again(context: UnitContext, spec: TableSpec, earlier: TableResult) -> bool:
    """Whether a table waits for its model and would not lose samples by asking it now."""
    unsampled = earlier.input_hash == context.input_hash(spec, sampled=False)
    return waits_for_model(earlier) and (_can_refresh(context) or unsampled)


def _can_refresh(context: UnitContext) -> bool:
    """Without a connection, a refresh would only lose the samples."""
    return context.reader is not None or context.options.rows_to_sample == 0


def _note_unknown_columns(context: UnitContext, sink: ProgressSink) -> None:
    """Report annotations of columns that do not exist; they are probably misspelt or outdated."""
    for table in context.part.tables:
        annotation = context.annotations.get((table.schema_name, table.table_name))
        known = {column.name for column in table.columns}
        for column in sorted(set(annotation.columns) - known if annotation else ()):
            file = locations.annotations_file(context.unit.database)
            sink.note(
                f"{file} describes a column {column!r}, which does not exist in {table.schema_name}.{table.table_name}"
            )


@dataclass(frozen=True, slots=True)
class _UnitWork:
    context: UnitContext
    checkpoint: UnitCheckpoint
    run: RunContext

    def process(self, work: list[TableSpec]) -> UnitResult:
        documenter = TableDocumenter(self.context)
        describer = self.context.describer
        at_once = max(self.context.options.tables_at_once, describer.at_once)
        low_time = LOW_TIME_SECONDS + describer.longest_seconds
        in_progress: dict[str, None] = {}
        done = 0

        def take() -> Iterator[tuple[TableSpec, TableResult | None]]:
            for spec in work:
                if not self.run.stop.has_time_for(low_time):
                    return
                in_progress[spec.fully_qualified_name] = None
                yield spec, self.checkpoint.earlier(spec.fully_qualified_name)

        def document(item: tuple[TableSpec, TableResult | None]) -> TableResult | None:
            try:
                return documenter.document(*item)
            except (ServerUnavailable, DescriptionPostponed):
                return None

        try:
            for (spec, _), result in self.run.pool.run(document, take(), at_once):
                in_progress.pop(spec.fully_qualified_name, None)
                if result is None:
                    continue
                done += 1
                current = next(iter(in_progress), None)
                self.checkpoint.record(result, current=current, query_ms=documenter.query_ms)
                self.run.sink.advance(STAGE, result.name, "documented" if result.status == "documented" else "failed")
        except RunInterrupted:
            return self.checkpoint.close(complete=False, query_ms=documenter.query_ms)
        return self.checkpoint.close(complete=done == len(work), query_ms=documenter.query_ms)
