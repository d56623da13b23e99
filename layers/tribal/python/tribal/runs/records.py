"""The record that every run writes, the ids of runs, and the removal of old ones."""

from __future__ import annotations

import hashlib
import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal, Self

from tribal.errors import RunInterrupted
from tribal.identity import locations
from tribal.ports import Clock, ObjectStore
from tribal.store import put_record, read_record
from tribal_contracts import (
    AgentError,
    AgentStatus,
    CatalogCoverage,
    ModelQuote,
    ModelUsage,
    RunOutline,
    RunRecord,
    WrittenTexts,
)

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

    def attach_coverage(self, coverage: CatalogCoverage | None, quote: ModelQuote | None) -> RunRecord:
        """Record how much is described once the documents are published, and what the model was expected to use."""
        return self._write(self._record.model_copy(update={"coverage": coverage, "quote": quote}))

    def add_texts(self, texts: WrittenTexts | None) -> None:
        """Add how many texts the model wrote; the next write records it."""
        self._record = self._record.model_copy(update={"texts": texts})

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


def prune_runs(store: ObjectStore, *, keep: int, run_id: str) -> list[str]:
    """Remove the records of all but the last `keep` runs, including `run_id`; returns the removed ids.

    The run that created the latest plan is always kept, because documenting reads its work units. Safe to interrupt:
    the next call removes the rest.
    """
    files: dict[str, list[str]] = defaultdict(list)
    for key in store.keys(locations.RUNS):
        name, has_files, _ = key.removeprefix(locations.RUNS).partition("/")
        if has_files:
            files[name].append(key)
    others = sorted(set(files) - {run_id, _latest_plan_run(store)})
    surplus = len(files) - max(keep, 1)
    removed = others[: max(surplus, 0)]
    for name in removed:
        for key in files[name]:
            store.delete(key)
    return removed


def _latest_plan_run(store: ObjectStore) -> str | None:
    outline = read_record(store, locations.LATEST_OUTLINE_FILE, RunOutline)
    return outline.run_id if outline else None


STAGED_COMMAND = "states"
"""The recorded command of runs by the state machine."""


def _random_suffix() -> str:
    """Six hex digits that distinguish runs started in the same second."""
    return secrets.token_hex(3)


def new_run_id(clock: Clock, entropy: Callable[[], str] = _random_suffix) -> str:
    """An id such as `20261121T024500Z-1f9c2a`; ids sort as text by the real start time."""
    return f"{clock.real().astimezone(UTC):%Y%m%dT%H%M%SZ}-{entropy()}"


def execution_run_id(execution: str, started_at: datetime) -> str:
    """The id of the run that a state machine execution (an ARN) performs; always the same for the same execution."""
    suffix = hashlib.sha256(execution.encode()).hexdigest()[:6]
    return f"{started_at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{suffix}"
