"""Follow another process's run until it ends, from its files in the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from tribal.documenting import read_units
from tribal.errors import RunInterrupted, TribalError
from tribal.identity import locations
from tribal.jobs.lease_file import is_running, read_lease
from tribal.ports import Clock, ObjectStore, ProgressSink, WorkerPool
from tribal.runs.records import STAGED_COMMAND
from tribal.store import read_record
from tribal_contracts import RunOutline, RunRecord, UnitItem, WorkUnitProgress

STAGE = "document"
_NAMED_ERRORS = 3
"""Errors shown per unit; its progress file has all of them."""


@dataclass(slots=True)
class Following:
    """Reports the progress of another process's run to a sink.

    Args:
        run_id: the run to follow. store: the store that it writes to. clock: used to see whether its lease has
        expired. pool: reads the files of many units concurrently. sink: receives the progress. ended: raises when the
        execution behind the run has ended; without it, the lease decides.
    """

    run_id: str
    store: ObjectStore
    clock: Clock
    pool: WorkerPool
    sink: ProgressSink
    ended: Callable[[], None] | None = None
    _totals: dict[str, int] = field(default_factory=dict)
    _done: dict[str, tuple[int, int]] = field(default_factory=dict)
    _finished: set[str] = field(default_factory=set)
    _started: bool = False

    def until_end(self, wait: Callable[[], object]) -> RunRecord:
        """Poll, calling `wait` in between, and return the run's record once it has ended.

        Raises:
            RunInterrupted: when the run died or was stopped before it could write its result.
        """
        while True:
            # Check before reading the record: a run writes its record before it ends.
            failure = self._failure()
            record = run_record(self.run_id, self.store)
            if record is not None:
                self._poll(record)
                if record.completed_at is not None:
                    if self._started:
                        self.sink.end(STAGE, locations.DOCS)
                    return record
            if failure is not None:
                raise failure
            wait()

    def _failure(self) -> TribalError | None:
        """The error that ended the run, if it ended without writing its result."""
        if self.ended is not None:
            try:
                self.ended()
            except TribalError as error:
                return error
            return None
        lease, _ = read_lease(self.store, self.clock)
        if lease is not None and lease.run_id == self.run_id and is_running(lease, self.clock):
            return None
        return RunInterrupted(
            f"run {self.run_id!r} ended without a result: it was stopped or died; the next run resumes"
        )

    def _poll(self, record: RunRecord) -> None:
        if not self._started:
            self._totals = self._units(record)
        open_units = [unit_id for unit_id in self._totals if unit_id not in self._finished]
        if not open_units:
            return
        for unit_id, progress in sorted(read_units(open_units, self.store, self.pool).items()):
            if _belongs_to(progress, record):
                self._report(unit_id, progress)

    def _units(self, record: RunRecord) -> dict[str, int]:
        """The number of tables of each unit in the run; empty while there is no plan."""
        outline = read_record(self.store, locations.run_outline_file(self.run_id), RunOutline)
        if outline is None:
            return {}
        tables = {unit.id: unit.tables for unit in outline.units}
        if record.command != STAGED_COMMAND:
            return tables
        prefix = f"{locations.RUNS}{self.run_id}/waves/"
        items = [item for key in self.store.keys(prefix) for item in json.loads(self.store.get(key).data)]
        ids = [UnitItem.model_validate(item).unit_id for item in items]
        return {unit_id: tables[unit_id] for unit_id in ids if unit_id in tables}

    def _report(self, unit_id: str, progress: WorkUnitProgress) -> None:
        if not self._started:
            self._started = True
            self.sink.begin(STAGE, sum(self._totals.values()))
        completed, failed = self._done.get(unit_id, (0, 0))
        for _ in range(progress.tables_completed - completed):
            self.sink.advance(STAGE, unit_id, "documented")
        for _ in range(progress.tables_failed - failed):
            self.sink.advance(STAGE, unit_id, "failed")
        self._done[unit_id] = (max(completed, progress.tables_completed), max(failed, progress.tables_failed))
        if progress.status in ("pending", "running"):
            return
        self._finished.add(unit_id)
        lost = f", {progress.tables_failed} failed" if progress.tables_failed else ""
        self.sink.note(
            f"{unit_id}: {progress.status}, {progress.tables_completed} of {progress.tables_total} tables{lost}"
        )
        for error in progress.errors[:_NAMED_ERRORS]:
            self.sink.note(f"{unit_id}: {error.code} {error.message}")


def run_record(run_id: str, store: ObjectStore) -> RunRecord | None:
    """The record of a run, if it exists."""
    return read_record(store, locations.run_file(run_id), RunRecord)


def _belongs_to(progress: WorkUnitProgress, record: RunRecord) -> bool:
    """Whether a unit's progress file is from this run; an earlier run's file stays until the unit starts."""
    if progress.status in ("pending", "running"):
        return progress.status == "running"
    if progress.completed_at is None:
        return False
    return datetime.fromisoformat(progress.completed_at) >= datetime.fromisoformat(record.started_at)
