"""The stages of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from tribal.documenting import (
    SERVER_UNAVAILABLE,
    WorkInspector,
    asks_model,
    finish,
    forget_earlier_plan,
    overall_status,
    pending_progress,
    quoted_plan,
)
from tribal.errors import ObjectDamaged, ObjectNotFound, PlanError, doing
from tribal.identity import locations
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.planning import (
    ComposedPlan,
    HasWork,
    check_plan,
    compose_plan,
    last_plan,
    latest_outline,
    latest_readings,
    load_plan,
    plan_was_edited,
    publish_plan,
    read_catalog,
    recompose_plan,
    select_units,
    write_run_plan,
)
from tribal.ports import Application, Describers, DocumentingOptions, Embedder, IndexWriter, RunContext
from tribal.runs.context import DocumentedRun, selected_units
from tribal.runs.model_fitness import require_fit_model
from tribal.runs.reports.waiting import merge_waiting
from tribal.runs.waves import waves_of
from tribal.runs.workers.admission import UnitAdmission
from tribal.runs.workers.units import ContainedUnits, SpreadUnits, UnitsHere, all_here
from tribal.store import put_record, read_record, report_damage
from tribal_contracts import (
    AgentError,
    CatalogReading,
    DatabaseEntry,
    DocumentationPlan,
    IndexerProgress,
    RunOutline,
    TableSpec,
    UnitResult,
    WorkUnit,
)


@doing("planning")
def plan_run(run: RunContext) -> ComposedPlan:
    """Read every database, compose the plan, and publish it with the pending progress of documenting.

    Raises:
        PlanError: when there is nothing to document; the previous plan is kept.
        DatabaseUnreachable: when no database responded; the previous plan is kept.
    """
    entries = run.options.databases

    def read(entry: DatabaseEntry) -> CatalogReading:
        return read_catalog(entry, run.app, run.run_id, run.stop)

    before = {reading.database: reading.made_with for reading in latest_readings(entries, run.store)}
    run.sink.begin("read", len(entries))
    readings: dict[str, CatalogReading] = {}
    postponed: list[DatabaseEntry] = []
    for entry, reading in run.pool.run(read, entries, run.options.planning.units_at_once):
        if any(error.code == "PLAN_SERVER_UNAVAILABLE" for error in reading.errors):
            postponed.append(entry)
        else:
            readings[entry.name] = _report_reading(entry, reading, run)
    run.app.run.retry_servers()
    for entry, reading in run.pool.run(read, postponed, run.options.planning.units_at_once):
        readings[entry.name] = _report_reading(entry, reading, run)
    run.sink.end("read", f"{sum(reading.table_count for reading in readings.values())} tables")
    if any(before.get(name, each.made_with) != each.made_with for name, each in readings.items() if each.made_with):
        run.sink.note("another version of this program made the last run; every table is documented and indexed again")
    # The plan reports what changed, even under --force.
    unforced = replace(run.options.documenting, force=False, retry_failed=False)
    return compose_run(run, [readings[entry.name] for entry in entries], unforced)[0]


def _report_reading(entry: DatabaseEntry, reading: CatalogReading, run: RunContext) -> CatalogReading:
    run.sink.advance("read", entry.name, "documented" if reading.status == "reachable" else "failed")
    # With a single database, its own error is reported at the end.
    for error in reading.errors if len(run.options.databases) > 1 else ():
        run.sink.note(f"{entry.name}: {error.message}")
    return reading


@doing("planning")
def compose_run(
    run: RunContext, readings: Sequence[CatalogReading], documenting: DocumentingOptions
) -> tuple[ComposedPlan, RunOutline]:
    """Compose the plan from the readings, and publish it with the pending progress of documenting.

    Args:
        run: the run to plan. readings: the catalog of every database. documenting: decides which tables have work.

    Raises:
        PlanError: when there is nothing to document, or the last plan was edited and cannot be read; it is kept.
        DatabaseUnreachable: when no database responded; the previous plan is kept.
    """
    composed = compose_plan(
        readings,
        run.app,
        previous=last_plan(run.store),
        has_work=work_marker(run.app, documenting, run.describers),
    )
    if moved := composed.regrouped:
        run.sink.note(
            f"{moved} table{'s' if moved > 1 else ''} moved to another domain because the grouping rules have "
            "changed; this happens once: see moves in the plan, and pin tables with domains in databases.yaml"
        )
    composed = replace(composed, plan=quoted_plan(composed.plan, run))
    return composed, _publish(run, composed.plan)


def work_marker(app: Application, documenting: DocumentingOptions, describers: Describers) -> HasWork:
    """Build a predicate: would documenting a table with these options write anything?"""
    inspectors = {
        entry.name: WorkInspector(
            store=app.store(),
            describer=describers.of(entry.name),
            clock=app.clock,
            options=documenting.for_entry(entry),
        )
        for entry in app.options().databases
    }

    def has_work(unit: WorkUnit, spec: TableSpec) -> bool:
        return not inspectors[unit.database].is_current(unit, spec)

    return has_work


def _publish(run: RunContext, plan: DocumentationPlan) -> RunOutline:
    check_plan(plan)
    published = publish_plan(plan, store=run.store, lease=run.lease)
    outline = write_run_plan(plan, store=run.store, run_id=run.run_id)
    latest = read_record(run.store, locations.LATEST_OUTLINE_FILE, RunOutline)
    if latest is None or latest.plan_file_hash != outline.plan_file_hash:
        put_record(run.store, locations.LATEST_OUTLINE_FILE, outline)
    if published:
        progress = pending_progress(outline, run.store, run.clock)
        put_record(run.store, locations.DOCUMENTER_PROGRESS_FILE, progress)
        forget_earlier_plan(outline, run.store, run.pool)
    return outline


@doing("documenting")
def document_run(run: RunContext, spread: SpreadUnits = all_here) -> DocumentedRun:
    """Document the selected part of the latest plan, and publish the manifest.

    Args:
        run: its options select what to document.
        spread: decides where each unit is documented.

    Raises:
        PlanError: when there is no plan, it is invalid, or it is older than the configuration.
    """
    whole = _outline_to_document(run)
    _refuse_stale(run, whole)
    chosen = selected_units(whole, run.options.selection)
    outline = _copied(run, whole, chosen)
    require_fit_model(run, lambda: asks_model(outline, chosen, run), may_test=True)
    results: dict[str, UnitResult] = {}
    run.sink.begin("document", sum(unit.tables for unit in outline.units))
    with UnitsHere(run) as here, spread(outline, here) as document:
        contained = ContainedUnits(document, run)
        admission = UnitAdmission(contained.document, run.options, outline, run.stop)
        for wave in waves_of(outline):
            results.update(run.pool.run(admission.document, wave, admission.at_once))
        # Retry servers that had no free connection, now that everything else is done.
        postponed = [unit_id for unit_id, result in results.items() if result.status == "running"]
        last_round = partial(admission.document, postpone=False)
        results.update(run.pool.run(last_round, postponed, admission.at_once))
    finished = finish(outline, run)
    run.sink.end("document", locations.DOCS)
    errors = [error for error in whole.errors if error.code == "PLAN_EDIT_UNDONE" and whole.run_id == run.run_id]
    of_tables = [table.error for result in results.values() for table in result.tables if table.error]
    errors += merge_waiting([*of_tables, *contained.failures, *finished.waiting, *finished.failures])
    _note_unavailable(errors, run)
    status = overall_status([each.status for each in results.values()])
    if finished.failures and status == "completed":
        status = "partial"
    return DocumentedRun(outline, status, tuple(errors), finished.manifest, finished.coverage, finished.quote)


def _note_unavailable(errors: Sequence[AgentError], run: RunContext) -> None:
    reasons = Counter(error.message for error in errors if error.code == SERVER_UNAVAILABLE)
    for reason, tables in reasons.items():
        run.sink.note(f"{tables} table{'s have' if tables > 1 else ' has'} no samples until the next run: {reason}")


def _outline_to_document(run: RunContext) -> RunOutline:
    """The outline of the latest plan; only an edited plan is loaded, checked and split again."""
    outline = latest_outline(run.store, run.run_id)
    return _outline_of_plan(run) if outline is None else outline


def _copied(run: RunContext, whole: RunOutline, chosen: Collection[str]) -> RunOutline:
    """Copy the chosen units into the run's own files; rebuild them from the plan if the originals are damaged."""
    try:
        return select_units(whole, chosen, store=run.store, run_id=run.run_id)
    except (ObjectDamaged, ObjectNotFound):
        report_damage(run.store, locations.run_outline_file(whole.run_id))
        return select_units(_outline_of_plan(run), chosen, store=run.store, run_id=run.run_id)


def _outline_of_plan(run: RunContext) -> RunOutline:
    plan = load_plan(run.store)
    check_plan(plan)
    if plan_was_edited(plan):
        run.sink.note("the domains of the plan were edited; its work units are rebuilt")
        plan = recompose_plan(
            plan, run.app, has_work=work_marker(run.app, run.options.documenting, run.describers)
        ).plan
        return _publish(run, plan)
    outline = write_run_plan(plan, store=run.store, run_id=run.run_id)
    put_record(run.store, locations.LATEST_OUTLINE_FILE, outline)
    return outline


def _refuse_stale(run: RunContext, outline: RunOutline) -> None:
    if outline.config_hash != run.options.planning.config_hash:
        message = "the configuration changed after the plan was created; run `tribal plan` again"
        if not run.options.documenting.force:
            raise PlanError(f"{message}, or use the old plan with --force", code="DOC_PLAN_STALE")
        run.sink.note(message)
    unknown = sorted({unit.database for unit in outline.units} - {entry.name for entry in run.options.databases})
    if unknown:
        raise PlanError(
            f"the plan has database {unknown[0]!r}, which is not in the configuration; run `tribal plan` again",
            code="DOC_PLAN_STALE",
        )


@doing("indexing")
def index_run(run: RunContext, index: IndexWriter, embedder: Embedder | None) -> IndexerProgress:
    """Bring the index up to date with the manifest, for the selected units.

    Raises:
        ManifestError: when the manifest or one of its files cannot be used.
    """
    options = run.options
    context = IndexingContext(run.store, index, embedder, run.clock, run.sink, run.stop)
    return index_documents(
        context, IndexingRequest(work_units=options.selection.units or None, force=options.documenting.force)
    )
