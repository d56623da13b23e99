"""What the loop of a job does for every kind of job, by a lease file next to its record and by a holder inside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fakes import MemoryStore
from tests.fakes.dying_store import Killed
from tests.jobs.cycle import HAND_OFFS, Cycle, CycleRecord, hand_on
from tribal.errors import ConfigurationError, RunInterrupted, RunLocked, StoreUnwritable
from tribal.jobs.job import MOST_DEATHS, JobEnded, JobHeld, NotNow
from tribal.ports import StopToken


@pytest.fixture(name="cycle", params=["lease beside", "holder inside"])
def cycle_fixture(request: pytest.FixtureRequest) -> Cycle:
    return Cycle(MemoryStore(), holds_inside=request.param == "holder inside").start()


def change(cycle: Cycle, **changes: object) -> None:
    """What another process writes."""
    cycle.file.change(lambda record: record.model_copy(update=changes), CycleRecord())


def test_a_job_takes_its_steps_reports_each_and_ends_once(cycle: Cycle) -> None:
    job = cycle.job()
    ended = job.run(hand_on)
    assert (ended.status, len(ended.hand_offs), ended.attempts, ended.holder) == ("done", HAND_OFFS, 0, None)
    assert job.again_in_seconds is None
    assert cycle.record == ended
    assert [len(each.hand_offs) for each in cycle.reported] == [*range(1, HAND_OFFS + 1)]
    with pytest.raises(JobEnded):
        cycle.run()


def test_a_deadline_hands_the_job_back_and_another_process_resumes_it_at_once(cycle: Cycle) -> None:
    left = [100.0]

    def step(record: CycleRecord) -> CycleRecord:
        left[0] -= 30
        return hand_on(record)

    handed_back = cycle.run(step=step, stop=StopToken(lambda: left[0]), step_seconds=20)
    assert (handed_back.status, len(handed_back.hand_offs)) == ("working", 3)
    assert (handed_back.attempts, handed_back.holder) == (0, None)
    assert cycle.run("two").status == "done"


def test_a_requested_stop_hands_the_job_back_after_the_step(cycle: Cycle) -> None:
    stop = StopToken()

    def step(record: CycleRecord) -> CycleRecord:
        stop.request(RunInterrupted("stopped"))
        return hand_on(record)

    assert len(cycle.run(step=step, stop=stop).hand_offs) == 1
    assert cycle.run("two").status == "done"


def test_a_step_that_has_to_wait_says_how_long_and_keeps_what_it_changed(cycle: Cycle) -> None:
    def step(record: CycleRecord) -> CycleRecord:
        raise NotNow(120, changed=hand_on(record))

    job = cycle.job()
    assert len(job.run(step).hand_offs) == 1
    assert (job.again_in_seconds, cycle.record.attempts, cycle.record.holder) == (120, 0, None)
    assert cycle.run("two").status == "done"


def test_what_another_process_writes_meanwhile_stays_and_so_does_its_end(cycle: Cycle) -> None:
    def step(record: CycleRecord) -> CycleRecord:
        if len(record.hand_offs) == 2:
            change(cycle, asked_by="ada")
        if len(record.hand_offs) == 5:
            change(cycle, status="failed", error="stopped")
        return hand_on(record)

    ended = cycle.run(step=step)
    assert (ended.status, ended.error, ended.asked_by, len(ended.hand_offs)) == ("failed", "stopped", "ada", 5)
    assert cycle.record == ended


class LosingAnswers(MemoryStore):
    """Writes, but sometimes fails to say so; its caller tries again."""

    def __init__(self) -> None:
        super().__init__()
        self.puts = 0

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        etag = super().put(key, data, if_match=if_match, if_absent=if_absent)
        self.puts += 1
        return etag if self.puts % 3 else super().put(key, data, if_match=if_match)


def test_a_put_that_was_repeated_because_its_answer_was_lost_counts_once() -> None:
    for holds_inside in (False, True):
        ended = Cycle(LosingAnswers(), holds_inside=holds_inside).start().run()
        assert len({*ended.hand_offs}) == len(ended.hand_offs) == HAND_OFFS


def test_while_a_process_works_on_a_job_no_other_does(cycle: Cycle) -> None:
    def step(record: CycleRecord) -> CycleRecord:
        with pytest.raises((JobHeld, RunLocked)):
            cycle.run("two")
        return hand_on(record)

    assert cycle.run(step=step).status == "done"


def test_a_process_that_was_overtaken_writes_nothing_more() -> None:
    cycle = Cycle(MemoryStore(), holds_inside=True).start()

    def step(record: CycleRecord) -> CycleRecord:
        cycle.clock.advance(61)
        with pytest.raises(Killed):
            cycle.run("two", die_at(3))
        return hand_on(record)

    with pytest.raises(JobHeld):
        cycle.run(step=step)
    assert (len(cycle.record.hand_offs), cycle.record.attempts) == (3, 1)
    assert cycle.run("two").status == "done"


def die_at(hand_offs: int) -> Callable[[CycleRecord], CycleRecord]:
    def step(record: CycleRecord) -> CycleRecord:
        if len(record.hand_offs) == hand_offs:
            raise Killed
        return hand_on(record)

    return step


def test_a_job_whose_processes_die_without_progress_ends_as_failed(cycle: Cycle) -> None:
    for hand_offs in range(HAND_OFFS - 1):
        for _ in range(MOST_DEATHS - 1):
            with pytest.raises(Killed):
                cycle.run(step=die_at(hand_offs))
    assert (cycle.record.status, cycle.record.attempts) == ("working", MOST_DEATHS - 1)
    with pytest.raises(Killed):
        cycle.run(step=die_at(HAND_OFFS - 2))
    ended = cycle.run()
    assert (ended.status, ended.error, ended.attempts, ended.holder) == ("failed", "TooManyDeaths", 0, None)


def test_an_error_that_may_pass_leaves_the_job_and_counts_as_no_death_and_another_ends_it(cycle: Cycle) -> None:
    def step(record: CycleRecord) -> CycleRecord:
        raise errors.pop()

    errors: list[BaseException] = [ConfigurationError("no model")]
    errors += [StoreUnwritable("full"), RunInterrupted("stopped"), KeyboardInterrupt()]
    for _ in range(3):
        expected = type(errors[-1])
        with pytest.raises(expected):
            cycle.run(step=step)
        assert (cycle.record.attempts, cycle.record.status, cycle.record.holder) == (0, "working", None)
    ended = cycle.run(step=step)
    assert (ended.status, ended.error) == ("failed", "ConfigurationError")


def test_a_job_is_ended_with_an_error_that_occurred_elsewhere(cycle: Cycle) -> None:
    assert cycle.job().run(hand_on, MemoryError()).error == "MemoryError"
