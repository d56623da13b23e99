"""Works on whatever waits, of any kind of job, and says in the log what became of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.fakes.application import application
from tests.fakes.dying_store import Killed
from tests.fakes.memory_store import MemoryStore
from tests.jobs.cycle import HAND_OFFS, Cycle, CycleRecord, CycleTask, hand_on
from tribal.errors import RunInterrupted, StoreUnwritable
from tribal.jobs.working import release_leases, waiting_jobs, work_on_waiting
from tribal.ports import Application, StopToken
from tribal.ports.capability import Waiting, Worked
from tribal_contracts import Contract


@dataclass
class Cycles:
    """A kind of job as a capability writes one."""

    name: str
    numbers: range
    step: Callable[[CycleRecord], CycleRecord] = hand_on

    def waiting(self, app: Application, ended: set[Contract]) -> Iterator[Waiting]:
        for number in self.numbers:
            record, task = self.cycle(app, number).record, CycleTask(number=number)
            if record.status == "working":
                yield Waiting(task, has_died=record.attempts > 0)
            else:
                ended.add(task)

    def work(self, app: Application, task: CycleTask, stop: StopToken, error: BaseException | None = None) -> Worked:
        job = self.cycle(app, task.number).job(stop=stop)
        record = job.run(self.step, error)
        return Worked(record.status, job.again_in_seconds)

    def leases(self, _: Application) -> list[str]:
        return [f"cycle-{number}" for number in self.numbers]

    def launched_by(self, app: Application, _: Callable[[], None]) -> Application:
        return app

    def cycle(self, app: Application, number: int) -> Cycle:
        return Cycle(app.store(), number=number)


def started(kind: Cycles) -> Application:
    app = application(store=MemoryStore())
    for number in kind.numbers:
        kind.cycle(app, number).start()
    return app


def work(app: Application, *kinds: Cycles, stop: StopToken | None = None) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    work_on_waiting(app, kinds, stop or StopToken(), lambda line: lines.append(json.loads(line)))
    return lines


def raising(error: BaseException, at: int = 0) -> Callable[[CycleRecord], CycleRecord]:
    def step(record: CycleRecord) -> CycleRecord:
        if len(record.hand_offs) == at:
            raise error
        return hand_on(record)

    return step


def test_jobs_of_all_kinds_are_worked_on_and_those_that_killed_a_process_come_last() -> None:
    first, second = Cycles("cycle", range(2)), Cycles("round", range(1, 3))
    app = started(Cycles("all", range(3)))
    with pytest.raises(Killed):
        Cycles("cycle", range(1), raising(Killed(), 3)).work(app, CycleTask(number=0), StopToken())
    waiting = [(kind.name, task) for kind, task in waiting_jobs(app, [first, second], set())]
    assert waiting == [
        ("cycle", CycleTask(number=1)),
        ("round", CycleTask(number=1)),
        ("round", CycleTask(number=2)),
        ("cycle", CycleTask(number=0)),
    ]
    lines = work(app, first, second)
    assert [(line["event"], line["number"], line["status"]) for line in lines] == [
        ("cycle", 1, "done"),
        ("round", 2, "done"),
        ("cycle", 0, "done"),
    ]
    assert waiting_jobs(app, [first, second], set()) == []


def test_a_job_that_fails_for_now_is_logged_once_and_the_next_one_worked_on() -> None:
    kind = Cycles("cycle", range(2), raising(RunInterrupted("not now"), HAND_OFFS - 1))
    app = started(kind)
    found = [(line["level"], line["status"], line["error"], line["number"]) for line in work(app, kind)]
    assert found == [("error", "processing", "RunInterrupted", number) for number in range(2)]
    assert [len(kind.cycle(app, number).record.hand_offs) for number in range(2)] == [HAND_OFFS - 1] * 2


def test_what_only_a_person_could_mend_or_no_python_error_ends_a_job_as_failed() -> None:
    for error in (StoreUnwritable("the disk is full"), Killed()):
        kind = Cycles("cycle", range(1), raising(error))
        app = started(kind)
        (line,) = work(app, kind)
        assert (line["status"], line["error"]) == ("failed", type(error).__name__)
        assert kind.cycle(app, 0).record.error == type(error).__name__


def test_nothing_is_begun_after_a_stop_and_a_job_in_progress_is_resumed_later() -> None:
    stop = StopToken()

    def step(record: CycleRecord) -> CycleRecord:
        stop.request(RunInterrupted("the server is stopping"))
        return hand_on(record)

    kind = Cycles("cycle", range(2), step)
    app = started(kind)
    assert [line["status"] for line in work(app, kind, stop=stop)] == ["working"]
    assert work(app, kind, stop=stop) == []
    assert [line["status"] for line in work(app, Cycles("cycle", range(2)))] == ["done"] * 2
    assert not release_leases(app, [kind], 4711)
