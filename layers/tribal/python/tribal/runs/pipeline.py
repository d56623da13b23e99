"""The stages of a run, one after the other, on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from graphlib import TopologicalSorter

from tribal.catalog import locations
from tribal.documenting import Finished, WorkInspector, finish, overall_status, pending_progress
from tribal.errors import PlanError
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.planning import (
    ComposedPlan,
    check_plan,
    compose_plan,
    latest_outline,
    load_plan,
    plan_was_edited,
    publish_plan,
    read_catalog,
    recut,
    select_units,
    write_run_plan,
)
from tribal.ports import (
    Describer,
    DocumentingOptions,
    Embedder,
    IndexWriter,
    PlanOptions,
)
from tribal.runs.context import DocumentedRun, DocumentSelection, RunContext
from tribal.runs.workers.units import OpenReader, SpreadUnits, UnitsHere, all_here
from tribal_contracts import (
    AgentError,
    AgentStatus,
    CatalogReading,
    DatabaseEntry,
    DocumentationPlan,
    IndexerProgress,
    RunOutline,
    TableSpec,
    WorkUnit,
)


def plan_run(
    run: RunContext,
    entries: Sequence[DatabaseEntry],
    *,
    open_reader: OpenReader,
    options: PlanOptions,
    documenting: DocumentingOptions,
    describer: Describer,
    statistics_max_age: timedelta,
    embedder: Embedder | None = None,
) -> ComposedPlan:
    """Read every database, compose the plan, and publish it with the pending progress of documenting.

    Raises:
        PlanError: when there is nothing to document; the previous plan stays.
        DatabaseUnreachable: when no database answered; the previous plan stays.
    """

    def read(entry: DatabaseEntry) -> CatalogReading:
        return read_catalog(
            entry,
            open_reader=lambda: open_reader(entry),
            store=run.store,
            clock=run.clock,
            run_id=run.run_id,
            statistics_max_age=statistics_max_age,
        )

    run.sink.begin("read", len(entries))
    readings: dict[str, CatalogReading] = {}
    for entry, reading in run.pool.run(read, entries, options.units_at_once):
        readings[entry.name] = reading
        run.sink.advance("read", entry.name, "documented" if reading.status == "reachable" else "failed")
        # Of the only one, the error itself is told in the end.
        for error in reading.errors if len(entries) > 1 else ():
            run.sink.note(f"{entry.name}: {error.message}")
    run.sink.end("read", f"{sum(reading.table_count for reading in readings.values())} tables")
    return compose_run(
        run,
        entries,
        [readings[entry.name] for entry in entries],
        options=options,
        documenting=documenting,
        describer=describer,
        embedder=embedder,
    )[0]


def compose_run(
    run: RunContext,
    entries: Sequence[DatabaseEntry],
    readings: Sequence[CatalogReading],
    *,
    options: PlanOptions,
    documenting: DocumentingOptions,
    describer: Describer,
    embedder: Embedder | None,
) -> tuple[ComposedPlan, RunOutline]:
    """Compose the plan of what was read, and publish it with the pending progress of documenting.

    Raises:
        PlanError: when there is nothing to document; the previous plan stays.
        DatabaseUnreachable: when no database answered; the previous plan stays.
    """
    composed = compose_plan(
        readings,
        entries,
        previous=_previous_plan(run),
        store=run.store,
        clock=run.clock,
        options=options,
        has_work=_work_marker(run, entries, documenting, describer),
        embedder=embedder,
    )
    return composed, _publish(run, composed.plan)


def _previous_plan(run: RunContext) -> DocumentationPlan | None:
    try:
        return load_plan(run.store)
    except PlanError as error:
        if error.code != "DOC_PLAN_NOT_FOUND":
            run.sink.note(f"the last plan is left out of account: {error.message}")
        return None


def _work_marker(
    run: RunContext, entries: Sequence[DatabaseEntry], documenting: DocumentingOptions, describer: Describer
) -> Callable[[WorkUnit, TableSpec], bool]:
    inspectors = {
        entry.name: WorkInspector(
            store=run.store, describer=describer, clock=run.clock, options=documenting.for_entry(entry)
        )
        for entry in entries
    }

    def has_work(unit: WorkUnit, spec: TableSpec) -> bool:
        return not inspectors[unit.database].is_current(unit, spec)

    return has_work


def _publish(run: RunContext, plan: DocumentationPlan) -> RunOutline:
    check_plan(plan)
    published = publish_plan(plan, store=run.store, lease=run.lease)
    outline = write_run_plan(plan, store=run.store, run_id=run.run_id)
    if published:
        run.store.put(locations.LATEST_OUTLINE_FILE, outline.to_json())
        progress = pending_progress(outline, run.store, run.clock)
        run.store.put(locations.DOCUMENTER_PROGRESS_FILE, progress.to_json())
    return outline


def document_run(
    run: RunContext,
    entries: Sequence[DatabaseEntry],
    *,
    open_reader: OpenReader,
    describer: Describer,
    plan_options: PlanOptions,
    options: DocumentingOptions,
    selection: DocumentSelection,
    ignore_stale: bool = False,
    spread: SpreadUnits = all_here,
) -> DocumentedRun:
    """Document the selected units of the latest plan and publish the manifest; `spread` says where each is documented.

    Raises:
        PlanError: when there is no plan, it cannot be carried out, or it is older than the configuration.
    """
    whole = _outline_to_document(run, entries, plan_options, options, describer)
    _refuse_stale(run, whole, entries, plan_options, ignore_stale)
    outline = select_units(whole, selection.of(whole), store=run.store, run_id=run.run_id)
    statuses: list[AgentStatus] = []
    errors: list[AgentError] = []
    run.sink.begin("document", sum(unit.tables for unit in outline.units))
    here = UnitsHere(
        run_id=run.run_id,
        entries=entries,
        store=run.store,
        open_reader=open_reader,
        describer=describer,
        clock=run.clock,
        pool=run.pool,
        sink=run.sink,
        deadline=run.deadline,
        options=options,
    )
    with here, spread(outline, here) as document:
        for wave in waves_of(outline):
            for _, result in run.pool.run(document, wave, plan_options.units_at_once):
                statuses.append(result.status)
                errors.extend(table.error for table in result.tables if table.error)
    manifest = finish_run(run, outline, describer).manifest
    run.sink.end("document", locations.DOCS)
    return DocumentedRun(outline, overall_status(statuses), tuple(errors), manifest)


def _outline_to_document(
    run: RunContext,
    entries: Sequence[DatabaseEntry],
    plan_options: PlanOptions,
    options: DocumentingOptions,
    describer: Describer,
) -> RunOutline:
    """What the latest plan was cut into; only a plan that somebody touched is loaded, checked and cut anew."""
    outline = latest_outline(run.store, run.run_id)
    if outline is not None:
        return outline
    plan = load_plan(run.store)
    if plan_was_edited(plan):
        run.sink.note("the domains of the plan were edited; its work units are cut anew")
        has_work = _work_marker(run, entries, options, describer)
        plan = recut(plan, entries, store=run.store, clock=run.clock, options=plan_options, has_work=has_work).plan
        return _publish(run, plan)
    check_plan(plan)
    return write_run_plan(plan, store=run.store, run_id=run.run_id)


def _refuse_stale(
    run: RunContext,
    outline: RunOutline,
    entries: Sequence[DatabaseEntry],
    plan_options: PlanOptions,
    ignore_stale: bool,
) -> None:
    if outline.config_hash != plan_options.config_hash:
        message = "the configuration changed after the plan was made; plan again with `tribal plan`"
        if not ignore_stale:
            raise PlanError(f"{message}, or document by the old plan with --force", code="DOC_PLAN_STALE")
        run.sink.note(message)
    unknown = sorted({unit.database for unit in outline.units} - {entry.name for entry in entries})
    if unknown:
        raise PlanError(
            f"the plan is about database {unknown[0]!r}, which the configuration does not name; plan again",
            code="DOC_PLAN_STALE",
        )


def finish_run(run: RunContext, outline: RunOutline, describer: Describer) -> Finished:
    """Publish the manifest, as far as the run's time lasts.

    Raises:
        LeaseLost: when another run has taken over; nothing is published then.
    """
    return finish(
        outline,
        store=run.store,
        lease=run.lease,
        describer=describer,
        clock=run.clock,
        sink=run.sink,
        deadline=run.deadline,
    )


def waves_of(outline: RunOutline) -> Iterator[list[str]]:
    """Units whose dependencies are done, in order of priority; without dependencies there is one wave."""
    order = {unit.id: position for position, unit in enumerate(outline.units)}
    sorter = TopologicalSorter(
        {unit.id: [other for other in unit.depends_on if other in order] for unit in outline.units}
    )
    sorter.prepare()
    while sorter.is_active():
        wave = sorted(sorter.get_ready(), key=order.__getitem__)
        yield wave
        sorter.done(*wave)


def index_run(
    run: RunContext,
    *,
    index: IndexWriter,
    embedder: Embedder | None,
    work_units: frozenset[str] | None = None,
    force: bool = False,
) -> IndexerProgress:
    """Bring the index up to the manifest.

    Raises:
        ManifestError: when the manifest or one of its files cannot be used.
    """
    context = IndexingContext(run.store, index, embedder, run.clock, run.sink, stop=lambda: run.pool.stopping)
    return index_documents(context, IndexingRequest(work_units=work_units, force=force))
