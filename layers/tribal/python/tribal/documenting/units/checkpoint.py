"""The two files that record the state of a work unit: its result and its progress."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import timedelta

from tribal.documenting.progress import overall_status, table_status
from tribal.identity import locations
from tribal.ports import Clock, ObjectStore
from tribal.store import put_if_changed, put_record_if_changed, read_record, sealed
from tribal_contracts import (
    AgentStatus,
    HandedBack,
    TableResult,
    UnitResult,
    WorkUnit,
    WorkUnitProgress,
    WrittenFile,
    sum_usage,
)

PROGRESS_EVERY = timedelta(seconds=0.5)
"""How often to write the progress of a running unit; it is only for people."""


class UnitCheckpoint:
    """Results of a unit's tables, in the plan's order regardless of completion order."""

    def __init__(self, unit: WorkUnit, *, run_id: str, store: ObjectStore, clock: Clock, record_pid: bool) -> None:
        self._unit = unit
        self._run_id = run_id
        self._store = store
        self._clock = clock
        self._pid = os.getpid() if record_pid and not clock.is_fixed else None
        self._earlier_result = read_record(store, locations.unit_result_file(unit.id), UnitResult)
        self._earlier = read_record(store, locations.unit_progress_file(unit.id), WorkUnitProgress)
        self._names = [spec.fully_qualified_name for spec in unit.tables]
        known = {table.name: table for table in self._earlier_result.tables} if self._earlier_result else {}
        self._results: dict[str, TableResult] = {name: known[name] for name in self._names if name in known}
        self.done_in_this_run = self._handed_back()
        """Tables processed by an earlier call in the same run."""
        self._done: set[str] = set()
        self._started_at = ""
        # Publishing a new plan resets the usage.
        self._usage = self._earlier.usage if self._earlier else None
        self._shown_at = clock.real()
        self._written = b""

    def earlier(self, name: str) -> TableResult | None:
        """The table's latest result, from this run or an earlier one."""
        return self._results.get(name)

    def keep(self, names: Iterable[str]) -> None:
        """Mark tables as done with their existing results."""
        self._done.update(names)

    def begin(self) -> None:
        """Record the start of work; a unit interrupted under the same plan keeps its first start time."""
        self._started_at = self._interrupted_at() or self._clock.published()
        self._write_progress("running", current=None, query_ms=0)

    def record(self, result: TableResult, *, current: str | None, query_ms: int) -> None:
        """Add a table's result and write the unit's result."""
        self._results[result.name] = result
        self._done.add(result.name)
        self._usage = sum_usage([self._usage, result.usage])
        self._write_result("running")
        if self._clock.real() - self._shown_at >= PROGRESS_EVERY:
            self._write_progress("running", current=current, query_ms=query_ms)

    def close(self, *, complete: bool, query_ms: int) -> UnitResult:
        """Write the unit's final state for this call; unchanged files are not rewritten."""
        status = (
            overall_status([table_status(self._results.get(name)) for name in self._names]) if complete else "running"
        )
        result = self._write_result(status, handed_back=not complete)
        self._write_progress(status, current=None, query_ms=query_ms)
        return result

    def _handed_back(self) -> frozenset[str]:
        back = self._earlier_result.handed_back if self._earlier_result else None
        return frozenset(back.tables) if back and back.run_id == self._run_id else frozenset()

    def _write_result(self, status: AgentStatus, *, handed_back: bool = False) -> UnitResult:
        unit = self._unit
        result = UnitResult(
            schema_version="1.0",
            work_unit_id=unit.id,
            database=unit.database,
            domain=unit.domain,
            output_directory=unit.output_directory,
            status=status,
            tables=[self._results[name] for name in self._names if name in self._results],
            departed=self._departed() or None,
            handed_back=self._done_so_far() if handed_back else None,
        )
        self._put_result(sealed(locations.unit_result_file(unit.id), result.to_json()))
        return result

    def _done_so_far(self) -> HandedBack:
        return HandedBack(run_id=self._run_id, tables=[name for name in self._names if name in self._done])

    def _put_result(self, data: bytes) -> None:
        key = locations.unit_result_file(self._unit.id)
        if not self._written:
            put_if_changed(self._store, key, data)
        elif data != self._written:
            # The last written bytes are known, so the store need not be read after every table.
            self._store.put(key, data)
        self._written = data

    def _departed(self) -> list[WrittenFile]:
        """Files written by this unit that no longer belong to any of its tables."""
        if self._earlier_result is None:
            return []
        present = {file.path for result in self._results.values() for file in result.files}
        once = [file for table in self._earlier_result.tables for file in table.files]
        once += self._earlier_result.departed or []
        departed = {file.path: file for file in once if file.path not in present}
        return [departed[path] for path in sorted(departed)]

    def _write_progress(self, status: AgentStatus, *, current: str | None, query_ms: int) -> None:
        done = [self._results[name] for name in self._names if name in self._done]
        progress = WorkUnitProgress(
            work_unit_id=self._unit.id,
            status=status,
            started_at=self._started_at or None,
            processor_pid=self._pid,
            tables_total=len(self._names),
            tables_completed=sum(result.status == "documented" for result in done),
            tables_failed=sum(result.status == "failed" for result in done),
            tables_skipped=0,
            current_table=current,
            errors=[result.error for result in done if result.error is not None],
            output_files=[file.path for result in done for file in result.files],
            db_query_time_ms=query_ms,
            usage=self._usage,
            left_to_rules={result.name: result.left_to_rules for result in done if result.left_to_rules} or None,
        )
        self._shown_at = self._clock.real()
        if status != "running":
            progress = self._ended(progress)
        put_record_if_changed(self._store, locations.unit_progress_file(self._unit.id), progress)

    def _interrupted_at(self) -> str | None:
        """When an interrupted unit was started; publishing a new plan makes such units pending."""
        return self._earlier.started_at if self._earlier and self._earlier.status == "running" else None

    def _ended(self, progress: WorkUnitProgress) -> WorkUnitProgress:
        earlier = self._earlier
        if not self._started_at and earlier is not None and earlier.completed_at is not None:
            kept = {
                name: getattr(earlier, name)
                for name in ("started_at", "completed_at", "processor_pid", "db_query_time_ms", "usage")
            }
            if progress.model_copy(update=kept) == earlier:
                return earlier
        now = self._clock.published()
        started = self._started_at or self._interrupted_at() or now
        return progress.model_copy(update={"started_at": started, "completed_at": now})
