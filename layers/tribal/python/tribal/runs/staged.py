"""A run whose stages are processes of their own, held together by its id: what a state machine calls.

Every task may be called again: it finds what an earlier call did, and carries on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from tribal.catalog import locations
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.planning import ComposedPlan, latest_readings, read_catalog, select_units
from tribal.ports import (
    Clock,
    Deadline,
    Describer,
    DocumentingOptions,
    Embedder,
    ObjectStore,
    PlanOptions,
    ProgressSink,
    WorkerPool,
)
from tribal.runs.context import CountingSink, DocumentSelection, RunContext
from tribal.runs.leases.shared_lease import SharedLease
from tribal.runs.pipeline import compose_run, finish_run, waves_of
from tribal.runs.records import RunLog
from tribal.runs.workers.units import OpenReader, UnitsHere
from tribal_contracts import (
    AgentError,
    AgentStatus,
    CatalogReading,
    CloseTask,
    ComposedRun,
    DatabaseEntry,
    DocumentationManifest,
    FailedTask,
    RunOutline,
    RunRecord,
    RunRequest,
    UnitCounts,
    UnitFailure,
    UnitItem,
    Wave,
    agent_error,
)

CAUSE_CHARS = 500
"""Characters of a failure's cause that are kept."""


@dataclass(frozen=True, slots=True)
class StagedRun:
    """One run, as one of its processes sees it."""

    run_id: str
    holder: str
    store: ObjectStore
    clock: Clock
    deadline: Deadline
    pool: WorkerPool
    sink: ProgressSink

    @property
    def lease(self) -> SharedLease:
        """The run's right to write."""
        return SharedLease(self.store, self.clock, self.run_id, holder=self.holder)

    def open(self, command: str) -> None:
        """Take the lease and begin the run's record.

        Raises:
            RunLocked: when another run is under way.
        """
        self.lease.open()
        if self.store.head(locations.run_file(self.run_id)) is None:
            RunLog(self.store, self.clock, self.run_id, command).start()

    def read(self, entry: DatabaseEntry, open_reader: OpenReader, statistics_max_age: timedelta) -> CatalogReading:
        """Read one database; that it did not answer is part of what was found."""
        self.lease.check()
        return read_catalog(
            entry,
            open_reader=lambda: open_reader(entry),
            store=self.store,
            clock=self.clock,
            run_id=self.run_id,
            statistics_max_age=statistics_max_age,
        )

    def compose(
        self,
        request: RunRequest,
        entries: Sequence[DatabaseEntry],
        *,
        options: PlanOptions,
        documenting: DocumentingOptions,
        describer: Describer,
        embedder: Embedder | None,
        networks: dict[str, str],
    ) -> ComposedRun:
        """Compose and publish the plan, and write down which units have to be documented, wave by wave.

        Raises:
            PlanError: when there is nothing to document, or the request names what the plan lacks.
        """
        self.lease.check()
        composed, outline = compose_run(
            self._context(),
            entries,
            self._readings(request, entries),
            options=options,
            documenting=documenting,
            describer=describer,
            embedder=embedder,
        )
        selection = DocumentSelection(
            frozenset(request.units), frozenset(request.domains), frozenset(request.databases)
        )
        chosen = select_units(outline, selection.of(outline), store=self.store, run_id=self.run_id)
        log = self._log()
        log.attach_plan(locations.run_plan_file(self.run_id), composed.plan_hash)
        return self._cut_waves(chosen, composed, request, networks)

    def document(
        self,
        unit_id: str,
        entries: Sequence[DatabaseEntry],
        *,
        open_reader: OpenReader,
        describer: Describer,
        options: DocumentingOptions,
    ) -> AgentStatus:
        """Document one unit until it is done or the time is short; `running` asks for another call."""
        self.lease.check()
        counting = CountingSink(self.sink)
        with UnitsHere(
            run_id=self.run_id,
            entries=entries,
            store=self.store,
            open_reader=open_reader,
            describer=describer,
            clock=self.clock,
            pool=self.pool,
            sink=counting,
            deadline=self.deadline,
            options=options,
        ) as units:
            result = units.document(unit_id)
        self._count(unit_id, counting)
        return result.status

    def record_failure(self, task: FailedTask) -> None:
        """Keep the failure of a unit as data, so that Finish tells of it and the others are published."""
        self.lease.check()
        error = agent_error(
            "DOC_UNIT_FAILED",
            f"work unit {task.unit_id!r} could not be documented: {task.error}: {task.cause[:CAUSE_CHARS]}",
            timestamp=self.clock.published(),
            context={"work_unit": task.unit_id, "error": task.error},
        )
        key = locations.run_failure_file(self.run_id, task.unit_id)
        self.store.put(key, UnitFailure(unit_id=task.unit_id, error=error).to_json())

    def finish(self, describer: Describer) -> AgentStatus:
        """Publish the manifest; `running` asks for another call, `failed` says that nothing at all is documented."""
        self.lease.check()
        outline = RunOutline.from_json(self.store.get(locations.run_outline_file(self.run_id)).data)
        finished = finish_run(self._context(), outline, describer)
        if not finished.done:
            return "running"
        return "failed" if finished.manifest is None else self._status(outline, finished.manifest)

    def close(self, task: CloseTask) -> RunRecord:
        """Write how the run ended, and give its lease back."""
        counts = [UnitCounts.from_json(self.store.get(key).data) for key in self._keys("counts/")]
        errors = [UnitFailure.from_json(self.store.get(key).data).error for key in self._keys("failures/")]
        if task.error is not None:
            errors.append(self._end(task))
        log = self._log()
        record = log.record
        if record.completed_at is None:
            record = log.finish(
                task.status,
                documented=sum(count.documented for count in counts),
                unchanged=sum(count.unchanged for count in counts),
                failed=sum(count.failed for count in counts),
                errors=errors,
            )
        self.lease.close()
        return record

    def _end(self, task: CloseTask) -> AgentError:
        message = f"the run ended early: {task.error}: {(task.cause or '')[:CAUSE_CHARS]}"
        return agent_error(
            "DOC_RUN_INTERRUPTED", message, timestamp=self.clock.published(), context={"error": task.error}
        )

    def _context(self) -> RunContext:
        return RunContext(self.run_id, self.store, self.lease, self.clock, self.deadline, self.pool, self.sink)

    def _log(self) -> RunLog:
        record = RunRecord.from_json(self.store.get(locations.run_file(self.run_id)).data)
        return RunLog.of(record, self.store, self.clock)

    def _keys(self, folder: str) -> list[str]:
        return sorted(self.store.keys(f"{locations.RUNS}{self.run_id}/{folder}"))

    def _readings(self, request: RunRequest, entries: Sequence[DatabaseEntry]) -> list[CatalogReading]:
        """What this run read, and of databases that were not asked for what an earlier one read."""
        readings = []
        for entry in entries:
            try:
                data = self.store.get(locations.run_reading_file(self.run_id, entry.name)).data
            except ObjectNotFound:
                if not request.databases or entry.name in request.databases:
                    raise
                readings.extend(latest_readings([entry], self.store))
            else:
                readings.append(CatalogReading.from_json(data))
        return readings

    def _cut_waves(
        self, outline: RunOutline, composed: ComposedPlan, request: RunRequest, networks: dict[str, str]
    ) -> ComposedRun:
        idle = {unit.id for unit in composed.plan.work_units if unit.has_work is False}
        databases = {unit.id: unit.database for unit in outline.units}
        waves = []
        for number, wave in enumerate(waves_of(outline), start=1):
            ids = [unit_id for unit_id in wave if request.force or unit_id not in idle]
            if not ids:
                continue
            items = [UnitItem(unit_id=unit_id, network=networks[databases[unit_id]]) for unit_id in ids]
            key = locations.run_wave_file(self.run_id, number)
            self.store.put(key, json.dumps([item.model_dump(mode="json") for item in items]).encode())
            waves.append(Wave(key=key, units=len(items)))
        at_once = composed.plan.summary.recommended_parallelism
        return ComposedRun(units=sum(wave.units for wave in waves), waves=waves, units_at_once=at_once)

    def _count(self, unit_id: str, counting: CountingSink) -> None:
        """Add up over the calls of one unit; tables that an earlier call did count as unchanged in the next."""
        key = locations.run_counts_file(self.run_id, unit_id)
        try:
            before = UnitCounts.from_json(self.store.get(key).data)
        except ObjectNotFound:
            before = UnitCounts(documented=0, unchanged=0, failed=0)
        counts = counting.counts
        earlier = before.documented + before.failed
        now = UnitCounts(
            documented=before.documented + counts["documented"],
            unchanged=max(0, counts["unchanged"] - earlier) if earlier else counts["unchanged"],
            failed=before.failed + counts["failed"],
        )
        if now != before:
            self.store.put(key, now.to_json())

    def _status(self, outline: RunOutline, manifest: DocumentationManifest) -> AgentStatus:
        unreachable = any(analysis.status == "unreachable" for analysis in outline.databases)
        return "partial" if unreachable or manifest.status == "partial" else "completed"


def require_databases(request: RunRequest, entries: Sequence[DatabaseEntry]) -> list[DatabaseEntry]:
    """The entries that a request asks for.

    Raises:
        ConfigurationError: when it names one that the configuration lacks.
    """
    unknown = sorted(set(request.databases) - {entry.name for entry in entries})
    if unknown:
        names = ", ".join(entry.name for entry in entries)
        raise ConfigurationError(f"no database is named {unknown[0]!r}; there is {names}")
    return [entry for entry in entries if not request.databases or entry.name in request.databases]
