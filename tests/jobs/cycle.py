"""A kind of job as a capability writes one: a record, when it has ended, and one step. Each step hands on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field

from tests.fakes import FixedClock
from tribal.jobs.holding import Holder, HolderInside
from tribal.jobs.job import Job
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import ObjectStore, StopToken
from tribal.store import RecordFile
from tribal_contracts import Contract
from tribal_contracts.core.shape import ClosedContract

HAND_OFFS = 8
TERM = timedelta(seconds=60)


class CycleRecord(Contract):
    status: Literal["working", "done", "failed"] = "working"
    hand_offs: list[str] = Field(default_factory=list)
    asked_by: str | None = None
    """Written by other processes."""
    attempts: int = 0
    error: str | None = None
    holder: str | None = None
    held_until: str | None = None


def hand_on(record: CycleRecord) -> CycleRecord:
    hand_offs = [*record.hand_offs, f"hand-off {len(record.hand_offs) + 1}"]
    status = "done" if len(hand_offs) == HAND_OFFS else "working"
    return record.model_copy(update={"hand_offs": hand_offs, "status": status})


def failed(record: CycleRecord, error: BaseException) -> CycleRecord:
    return record.model_copy(update={"status": "failed", "error": type(error).__name__})


def _holder_of(record: CycleRecord) -> Holder | None:
    if record.holder is None or record.held_until is None:
        return None
    return Holder(record.holder, datetime.fromisoformat(record.held_until))


def _with_holder(record: CycleRecord, holder: Holder) -> CycleRecord:
    return record.model_copy(update={"holder": holder.name, "held_until": holder.expires.isoformat()})


def _without_holder(record: CycleRecord) -> CycleRecord:
    return record.model_copy(update={"holder": None, "held_until": None})


class CycleTask(ClosedContract):
    number: int


@dataclass
class Cycle:
    """One job in a store, and the processes that work on it."""

    store: ObjectStore
    clock: FixedClock = field(default_factory=lambda: FixedClock(is_fixed=True))
    holds_inside: bool = False
    number: int = 1
    reported: list[CycleRecord] = field(default_factory=list)

    @property
    def file(self) -> RecordFile[CycleRecord]:
        return RecordFile(self.store, f"cycles/{self.number}.json", CycleRecord)

    @property
    def record(self) -> CycleRecord:
        return self.file.read().record

    def start(self) -> Cycle:
        self.file.create(CycleRecord())
        return self

    def job(self, process: str = "one", stop: StopToken | None = None, step_seconds: float = 0.0) -> Job[CycleRecord]:
        file = self.file
        return Job(
            read=file.read,
            replace=file.replace,
            has_ended=lambda record: record.status != "working",
            lease=nullcontext() if self.holds_inside else self._lease(process),
            holder=self._holder(process) if self.holds_inside else None,
            stop=stop or StopToken(),
            step_seconds=step_seconds,
            failed=failed,
            report=self.reported.append,
        )

    def run(
        self,
        process: str = "one",
        step: Callable[[CycleRecord], CycleRecord] = hand_on,
        stop: StopToken | None = None,
        step_seconds: float = 0.0,
    ) -> CycleRecord:
        return self.job(process, stop, step_seconds).run(step)

    def _lease(self, process: str) -> RunLease:
        return RunLease(LeaseFile(self.store, self.clock, f"cycle-{self.number}"), "one", holder=f"host/{process}")

    def _holder(self, process: str) -> HolderInside[CycleRecord]:
        return HolderInside(
            own=process,
            term=TERM,
            clock=self.clock,
            holder_of=_holder_of,
            with_holder=_with_holder,
            without_holder=_without_holder,
        )
