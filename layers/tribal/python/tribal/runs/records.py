"""The record that every run writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from tribal.errors import RunInterrupted
from tribal.identity import locations
from tribal.ports import Clock, ObjectStore
from tribal.store import put_record
from tribal_contracts import AgentError, AgentStatus, ModelUsage, RunRecord

RunState = AgentStatus | Literal["stopped"]
"""The state of a run, for people; in files a stopped run is `failed`, since the specification has no other state."""


def state_of(record: RunRecord, *, running: bool) -> RunState:
    """The state of a run, given whether its lease is held; a run that died counts as stopped."""
    if running:
        return "running"
    last = record.errors[-1] if record.errors else None
    cause = last.context or {} if last is not None and last.code == "DOC_RUN_INTERRUPTED" else None
    # The end of an execution in AWS has the same code, and its cause in the context.
    interrupted = cause is not None and cause.get("error") in (None, RunInterrupted.__name__)
    return "stopped" if interrupted or record.completed_at is None else record.status


class RunLog:
    """Writes the `RunRecord` of a run when it starts, when its plan is known and when it ends."""

    def __init__(self, store: ObjectStore, clock: Clock, run_id: str, command: str) -> None:
        self._store = store
        self._clock = clock
        self._record = RunRecord(
            schema_version="1.0",
            run_id=run_id,
            command=command,
            status="running",
            started_at=clock.published(),
            completed_at=None,
            tables_documented=0,
            tables_unchanged=0,
            tables_failed=0,
            errors=[],
        )

    @classmethod
    def of(cls, record: RunRecord, store: ObjectStore, clock: Clock) -> Self:
        """Continue a record started by another process of the run."""
        log = cls(store, clock, record.run_id, record.command)
        log._record = record
        return log

    @property
    def record(self) -> RunRecord:
        """The record as last written, or as it will first be written."""
        return self._record

    def start(self) -> RunRecord:
        """Record that the run has started."""
        return self._write(self._record)

    def attach_plan(self, plan_file: str, plan_hash: str) -> RunRecord:
        """Record the run's plan; `plan_file` is relative to the store's root."""
        return self._write(self._record.model_copy(update={"plan_file": plan_file, "plan_hash": plan_hash}))

    def finish(
        self,
        status: AgentStatus,
        *,
        documented: int = 0,
        unchanged: int = 0,
        failed: int = 0,
        errors: Sequence[AgentError] = (),
        usage: ModelUsage | None = None,
    ) -> RunRecord:
        """Record how the run ended."""
        return self._write(
            self._record.model_copy(
                update={
                    "status": status,
                    "completed_at": self._clock.published(),
                    "tables_documented": documented,
                    "tables_unchanged": unchanged,
                    "tables_failed": failed,
                    "errors": list(errors),
                    "usage": usage,
                }
            )
        )

    def _write(self, record: RunRecord) -> RunRecord:
        self._record = record
        put_record(self._store, locations.run_file(record.run_id), record)
        return record
