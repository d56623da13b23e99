"""A run whose stages are separate processes called by a state machine and linked by the run's id.

Every task is idempotent: called again, it resumes from the results of the earlier call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.documenting import asks_model, finish
from tribal.errors import ConfigurationError, ObjectNotFound, doing
from tribal.identity import locations
from tribal.identity.expansion import expanded
from tribal.jobs.lease import SharedLease
from tribal.jobs.lease_file import LeaseFile
from tribal.planning import latest_readings, read_catalog, select_units
from tribal.ports import Application, ObjectStore, ProgressSink, RunContext, StopToken, WorkerPool
from tribal.runs.context import CountingSink, closing_run, is_partial, selected_units
from tribal.runs.expanding import find_databases, record_databases, recorded_databases
from tribal.runs.model_fitness import require_fit_model
from tribal.runs.pipeline import compose_run
from tribal.runs.records import RunLog
from tribal.runs.reports.waiting import merge_waiting
from tribal.runs.waves import WaveCutter
from tribal.runs.workers.units import CAUSE_CHARS, UnitsHere, record_unit_failure
from tribal.store import content_hash, put_record, read_record, require_record
from tribal_contracts import (
    AgentError,
    AgentStatus,
    CatalogReading,
    CloseTask,
    ComposedRun,
    DatabaseEntry,
    DocumentationManifest,
    FailedTask,
    FinishCheckpoint,
    ModelUsage,
    RunOutline,
    RunRecord,
    UnitCounts,
    UnitFailure,
    WrittenTexts,
    agent_error,
    sum_texts,
    sum_usage,
)


@dataclass(frozen=True, slots=True)
class StagedRun:
    """One run, in one of its processes."""

    run_id: str
    holder: str
    app: Application
    stop: StopToken
    pool: WorkerPool
    sink: ProgressSink

    @property
    def lease(self) -> SharedLease:
        """The lease of the run, shared by its processes."""
        return SharedLease(LeaseFile(self.store, self.app.clock), self.run_id, holder=self.holder)

    @property
    def store(self) -> ObjectStore:
        """The store that the run reads and writes."""
        return self.app.store()

    @doing("planning")
    def open(self, command: str) -> list[DatabaseEntry]:
        """Acquire the lease, start the run's record, and return the databases to read.

        Raises:
            ConfigurationError: when the run's parameters name a database that is not in the configuration.
            RunLocked: when another run is in progress.
        """
        found = find_databases(self.app, recorded_databases(self.store))
        options = self.app.options()
        databases = self._databases(expanded(options.configured, found) if found else options.databases)
        self.lease.open()
        record_databases(found, self.store)
        if content_hash(self.store, locations.run_file(self.run_id)) is None:
            RunLog(self.store, self.app.clock, self.run_id, command).start()
        return databases

    @doing("planning")
    def read(self, database: str) -> CatalogReading:
        """Read one database; a connection failure becomes part of the reading."""
        self.lease.check()
        entry = next(entry for entry in self.app.options().databases if entry.name == database)
        return read_catalog(entry, self.app, self.run_id, self.stop)

    @doing("planning")
    def compose(self) -> ComposedRun:
        """Compose and publish the plan, and write the waves of units to document.

        Raises:
            ConfigurationError: when the model failed its test.
            PlanError: when there is nothing to document, or the run's parameters name something that is not in the
                plan.
        """
        self.lease.check()
        options = self.app.options()
        with closing_run(self._context(self.sink)) as run:
            composed, outline = compose_run(run, self._readings(), options.documenting)
            selected = selected_units(outline, options.selection)
            require_fit_model(run, lambda: asks_model(outline, selected, run), may_test=False)
        chosen = select_units(outline, selected, store=self.store, run_id=self.run_id)
        log = self._log()
        log.attach_plan(locations.run_plan_file(self.run_id), composed.plan_hash)
        return WaveCutter(self.run_id, self.app).cut(chosen, composed)

    @doing("documenting")
    def document(self, unit_id: str) -> AgentStatus:
        """Document one unit until it is done or time runs short; `running` means: call again."""
        self.lease.check()
        counting = CountingSink(self.sink)
        with closing_run(self._context(counting)) as run, UnitsHere(run) as units:
            result = units.document(unit_id)
            if result.status == "running":  # out of time, where this does nothing, or tables were postponed
                result = units.document(unit_id, postpone=False)
            usage, texts = run.usage, run.texts
        self._count(unit_id, counting, usage, texts)
        return result.status

    def record_failure(self, task: FailedTask) -> None:
        """Record a unit's failure, so that Finish reports it and still publishes the other units."""
        self.lease.check()
        record_unit_failure(
            self.run_id, task.unit_id, error=task.error, cause=task.cause, store=self.store, clock=self.app.clock
        )

    @doing("documenting")
    def finish(self) -> AgentStatus:
        """Publish the manifest; `running` means: call again; `failed` means that nothing could be documented."""
        self.lease.check()
        outline = require_record(self.store, locations.run_outline_file(self.run_id), RunOutline)
        with closing_run(self._context(self.sink)) as run:
            finished = finish(outline, run)
        if not finished.done:
            return "running"
        self._log().attach_coverage(finished.coverage, finished.quote)
        for warning in merge_waiting([*finished.waiting, *finished.failures]):
            self.sink.note(warning.message)
        return "failed" if finished.manifest is None else self._status(outline, finished.manifest)

    def close(self, task: CloseTask) -> RunRecord:
        """Record how the run ended, and release its lease."""
        counts = [require_record(self.store, key, UnitCounts) for key in self._keys("counts/")]
        errors = [require_record(self.store, key, UnitFailure).error for key in self._keys("failures/")]
        if task.error is not None:
            errors.append(self._end(task))
        log = self._log()
        record = log.record
        if record.completed_at is None:
            log.add_texts(sum_texts(count.texts for count in counts))
            record = log.finish(
                task.status,
                documented=sum(count.documented for count in counts),
                unchanged=sum(count.unchanged for count in counts),
                failed=sum(count.failed for count in counts),
                errors=errors,
                usage=self._usage(counts),
            )
        self.lease.close()
        return record

    def _usage(self, counts: Sequence[UnitCounts]) -> ModelUsage | None:
        """The model's usage for the run's units and for domains in Finish."""
        finished = read_record(self.store, locations.run_finish_file(self.run_id), FinishCheckpoint)
        return sum_usage([finished.usage if finished else None, *(count.usage for count in counts)])

    def _end(self, task: CloseTask) -> AgentError:
        message = f"the run ended early: {task.error}: {(task.cause or '')[:CAUSE_CHARS]}"
        return agent_error(
            "DOC_RUN_INTERRUPTED", message, timestamp=self.app.clock.published(), context={"error": task.error}
        )

    def _context(self, sink: ProgressSink) -> RunContext:
        return RunContext(self.run_id, self.app, self.lease, self.stop, self.pool, sink)

    def _log(self) -> RunLog:
        record = require_record(self.store, locations.run_file(self.run_id), RunRecord)
        return RunLog.of(record, self.store, self.app.clock)

    def _keys(self, folder: str) -> list[str]:
        return sorted(self.store.keys(f"{locations.RUNS}{self.run_id}/{folder}"))

    def _readings(self) -> list[CatalogReading]:
        """The readings of this run, and earlier readings of the databases it did not select."""
        asked = self.app.options().selection.databases
        readings = []
        for entry in self.app.options().databases:
            try:
                reading = require_record(
                    self.store, locations.run_reading_file(self.run_id, entry.name), CatalogReading
                )
            except ObjectNotFound:
                if not asked or entry.name in asked:
                    raise
                readings.extend(latest_readings([entry], self.store))
            else:
                readings.append(reading)
        return readings

    def _count(
        self, unit_id: str, counting: CountingSink, usage: ModelUsage | None, texts: WrittenTexts | None
    ) -> None:
        """Add up the counts of a unit over all calls; tables done by an earlier call count as unchanged in the next."""
        key = locations.run_counts_file(self.run_id, unit_id)
        try:
            before = require_record(self.store, key, UnitCounts)
        except ObjectNotFound:
            before = UnitCounts(documented=0, unchanged=0, failed=0)
        counts = counting.counts
        earlier = before.documented + before.failed
        now = UnitCounts(
            documented=before.documented + counts["documented"],
            unchanged=max(0, counts["unchanged"] - earlier) if earlier else counts["unchanged"],
            failed=before.failed + counts["failed"],
            usage=sum_usage([before.usage, usage]),
            texts=sum_texts([before.texts, texts]),
        )
        if now != before:
            put_record(self.store, key, now)

    def _status(self, outline: RunOutline, manifest: DocumentationManifest) -> AgentStatus:
        return "partial" if is_partial(outline) or manifest.status == "partial" else "completed"

    def _databases(self, entries: Sequence[DatabaseEntry]) -> list[DatabaseEntry]:
        """The entries that the run's parameters select."""
        asked = self.app.options().selection.databases
        unknown = sorted(asked - {entry.name for entry in entries})
        if unknown:
            names = ", ".join(entry.name for entry in entries)
            raise ConfigurationError(f"there is no database named {unknown[0]!r}; the configuration has {names}")
        return [entry for entry in entries if not asked or entry.name in asked]
