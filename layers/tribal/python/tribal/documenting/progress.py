"""Progress of a documenting run, aggregated from its units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from tribal.documenting.staleness import waits_for_model
from tribal.identity import locations
from tribal.ports import Clock, ObjectStore, WorkerPool
from tribal.store import put_record, read_record, require_record
from tribal_contracts import (
    AgentStatus,
    DocumenterProgress,
    DocumenterStats,
    ModelUsage,
    RunOutline,
    TableResult,
    WorkUnit,
    WorkUnitProgress,
    sum_usage,
)

READ_AT_ONCE = 16


def overall_status(statuses: Sequence[AgentStatus]) -> AgentStatus:
    """Combine statuses; the first matching rule decides. Without parts, the status is completed."""
    if all(status == "completed" for status in statuses):
        return "completed"
    if all(status == "pending" for status in statuses):
        return "pending"
    if "running" in statuses:
        return "running"
    return "failed" if all(status == "failed" for status in statuses) else "partial"


def table_status(result: TableResult | None) -> AgentStatus:
    """The status of a table; `partial` if rules describe it until its model answers."""
    if result is None:
        return "pending"
    if result.status != "documented":
        return "failed"
    return "partial" if waits_for_model(result) else "completed"


def pending_progress(outline: RunOutline, store: ObjectStore, clock: Clock) -> DocumenterProgress:
    """The progress of a run that has not documented anything yet."""
    now = clock.published()
    units = {unit_id: pending_unit(_unit(outline, unit_id, store)) for unit_id in outline.unit_ids}
    return DocumenterProgress(
        schema_version="1.0",
        started_at=now,
        completed_at=None,
        status=overall_status([unit.status for unit in units.values()]),
        plan_file=locations.PLAN_FILE,
        plan_hash=outline.plan_hash,
        work_units=units,
        stats=_stats(units.values()),
        last_checkpoint=now,
        errors=[],
    )


def pending_unit(unit: WorkUnit) -> WorkUnitProgress:
    """The progress of a unit that has not been started."""
    return WorkUnitProgress(
        work_unit_id=unit.id,
        status="pending",
        tables_total=len(unit.tables),
        tables_completed=0,
        tables_failed=0,
        tables_skipped=0,
        errors=[],
        output_files=[],
    )


def forget_earlier_plan(outline: RunOutline, store: ObjectStore, pool: WorkerPool) -> None:
    """Reset units that were interrupted under an earlier plan, and drop the model usage recorded under it.

    Times and usage then count for this plan only.
    """
    for unit_id, progress in read_units(outline.unit_ids, store, pool).items():
        key = locations.unit_progress_file(unit_id)
        if progress.status == "running":
            put_record(store, key, pending_unit(_unit(outline, unit_id, store)))
        elif progress.usage is not None:
            put_record(store, key, progress.model_copy(update={"usage": None}))


def read_units(unit_ids: Iterable[str], store: ObjectStore, pool: WorkerPool) -> dict[str, WorkUnitProgress]:
    """The progress files of the units that have one, by unit id."""

    def read(unit_id: str) -> WorkUnitProgress | None:
        return read_record(store, locations.unit_progress_file(unit_id), WorkUnitProgress)

    # S3 takes 20 ms or more per object, however small.
    return {unit_id: found for unit_id, found in pool.run(read, unit_ids, READ_AT_ONCE) if found is not None}


def fold_progress(progress: DocumenterProgress, store: ObjectStore, pool: WorkerPool) -> DocumenterProgress:
    """Update a progress from the files of its units."""
    units = {}
    present = read_units(progress.work_units, store, pool)
    for unit_id, known in progress.work_units.items():
        found = present.get(unit_id)
        since = known.started_at or progress.started_at
        units[unit_id] = found if found is not None and _is_since(found, since) else known
    if units == progress.work_units:
        return progress
    folded = _fold(units)
    return progress.model_copy(
        update={
            "started_at": folded.first or progress.started_at,
            "completed_at": folded.completed_at,
            "status": folded.status,
            "work_units": units,
            "stats": _stats(units.values(), progress.finish_usage),
            "last_checkpoint": folded.last or progress.last_checkpoint,
        }
    )


def final_progress(
    outline: RunOutline, store: ObjectStore, clock: Clock, pool: WorkerPool, finish_usage: ModelUsage | None = None
) -> DocumenterProgress:
    """The progress that Finish writes; units not in this run keep their progress under this plan.

    A unit completed under an earlier plan, with nothing to do under this one, also gets the current time in its own
    file. All other times come from the units, so a run that did nothing produces the same bytes.
    """
    previous = read_record(store, locations.DOCUMENTER_PROGRESS_FILE, DocumenterProgress)
    present = previous if previous and previous.plan_hash == outline.plan_hash else None
    units = dict(present.work_units) if present else {}
    found = read_units(outline.unit_ids, store, pool)
    now = clock.published()
    for unit_id in outline.unit_ids:
        progress = found.get(unit_id) or pending_unit(_unit(outline, unit_id, store))
        if present is not None and progress.completed_at is not None and not _is_since(progress, present.started_at):
            progress = _already_complete(progress, now)
            put_record(store, locations.unit_progress_file(unit_id), progress)
        units[unit_id] = progress
    folded = _fold(units)
    used = sum_usage([present.finish_usage if present else None, finish_usage])
    return DocumenterProgress(
        schema_version="1.0",
        started_at=folded.first or (present.started_at if present else now),
        completed_at=folded.completed_at,
        status=folded.status,
        plan_file=locations.PLAN_FILE,
        plan_hash=outline.plan_hash,
        work_units=dict(sorted(units.items())),
        stats=_stats(units.values(), used),
        last_checkpoint=folded.last or now,
        errors=[],
        finish_usage=used,
    )


def _already_complete(progress: WorkUnitProgress, now: str) -> WorkUnitProgress:
    """The progress of a unit without remaining work."""
    update = {"started_at": now, "completed_at": now, "processor_pid": None, "db_query_time_ms": 0, "usage": None}
    return progress.model_copy(update=update)


class _Progress(NamedTuple):
    status: AgentStatus
    first: str | None
    last: str | None
    completed_at: str | None


def _fold(units: Mapping[str, WorkUnitProgress]) -> _Progress:
    status = overall_status([unit.status for unit in units.values()])
    started = [unit.started_at for unit in units.values() if unit.started_at]
    ended = [unit.completed_at for unit in units.values() if unit.completed_at]
    times = sorted(started + ended, key=_time)
    over = bool(ended) and status not in ("pending", "running")
    return _Progress(
        status=status,
        first=times[0] if times else None,
        last=times[-1] if times else None,
        completed_at=max(ended, key=_time) if over else None,
    )


def _unit(outline: RunOutline, unit_id: str, store: ObjectStore) -> WorkUnit:
    return require_record(store, locations.run_unit_file(outline.run_id, unit_id), WorkUnit)


def _stats(units: Iterable[WorkUnitProgress], finish_usage: ModelUsage | None = None) -> DocumenterStats:
    parts = list(units)
    used = sum_usage([finish_usage, *(unit.usage for unit in parts)]) or ModelUsage()
    return DocumenterStats(
        total_tables=sum(unit.tables_total for unit in parts),
        completed_tables=sum(unit.tables_completed for unit in parts),
        failed_tables=sum(unit.tables_failed for unit in parts),
        skipped_tables=sum(unit.tables_skipped for unit in parts),
        llm_tokens_used=used.tokens,
        llm_time_ms=used.time_ms,
        db_query_time_ms=sum(unit.db_query_time_ms or 0 for unit in parts),
    )


def _is_since(unit: WorkUnitProgress, since: str) -> bool:
    return unit.started_at is not None and _time(unit.started_at) >= _time(since)


def _time(timestamp: str) -> datetime:
    return datetime.fromisoformat(timestamp)
