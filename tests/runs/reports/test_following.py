"""Following a run by what it writes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.fakes import FixedClock, MemoryStore, RecordingSink
from tribal.errors import RunInterrupted, RunLocked
from tribal.identity import locations
from tribal.jobs.lease import SharedLease
from tribal.jobs.lease_file import LeaseFile
from tribal.runs.records import RunLog
from tribal.runs.reports.following import Following
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal_contracts import OutlineUnit, RunOutline, RunRecord, WorkUnitProgress, agent_error

RUN = "20260101T000000Z-abcdef"
HASH = "0" * 64


class Scene:
    """A run of units `a` and `b` in a store, and someone who follows it."""

    def __init__(self, command: str = "states") -> None:
        self.store, self.clock, self.sink = MemoryStore(), FixedClock(), RecordingSink()
        self.lease = SharedLease(LeaseFile(self.store, self.clock), RUN, holder="arn:x/1", term_seconds=300)
        self.log = RunLog(self.store, self.clock, RUN, command)

    def begin(self) -> None:
        self.lease.open()
        self.log.start()

    def plan(self, *work: str) -> None:
        units = [OutlineUnit(id=name, database="d", domain="x", tables=2, depends_on=[]) for name in ("a", "b")]
        outline = RunOutline(
            schema_version="1.0", run_id=RUN, plan_hash=HASH, config_hash=HASH, databases=[], units=units, errors=[]
        )
        self.store.put(locations.run_outline_file(RUN), outline.to_json())
        items = [{"unit_id": name, "network": "default"} for name in work]
        self.store.put(locations.run_wave_file(RUN, 1), json.dumps(items).encode())

    def unit(self, name: str, status: str, completed: int, failed: int = 0, at: str | None = None) -> None:
        error = agent_error("DOC_TABLE_GONE", "the table is gone", timestamp=self.clock.published())
        progress = WorkUnitProgress.model_validate(
            {
                "work_unit_id": name,
                "status": status,
                "started_at": at or self.clock.published(),
                "completed_at": None if status == "running" else at or self.clock.published(),
                "tables_total": 2,
                "tables_completed": completed,
                "tables_failed": failed,
                "tables_skipped": 0,
                "errors": [error.model_dump()] if failed else [],
                "output_files": [],
            }
        )
        self.store.put(locations.unit_progress_file(name), progress.to_json())

    def follow(self, *steps: Callable[[], object], ended: Callable[[], None] | None = None) -> RunRecord:
        """Follow, one step of the run in each pause."""
        coming = iter(steps)
        following = Following(RUN, self.store, self.clock, ThreadWorkerPool(), self.sink, ended)
        return following.until_end(lambda: next(coming)())


def test_every_table_is_reported_once_and_a_unit_that_failed_in_part_by_name() -> None:
    scene = Scene()
    scene.begin()
    scene.unit("b", "completed", 2, at="2020-01-01T00:00:00Z")
    record = scene.follow(
        lambda: scene.plan("a", "b"),
        lambda: scene.unit("a", "running", 1),
        lambda: None,
        lambda: scene.unit("a", "partial", 1, 1),
        lambda: scene.unit("b", "completed", 2),
        lambda: scene.log.finish("partial", documented=3, failed=1),
    )
    assert (record.status, record.tables_failed) == ("partial", 1)
    assert scene.sink.started == [("document", 4)]
    assert [(item, outcome) for _, item, outcome in scene.sink.advanced] == [
        ("a", "documented"),
        ("a", "failed"),
        ("b", "documented"),
        ("b", "documented"),
    ]
    assert scene.sink.notes == [
        "a: partial, 1 of 2 tables, 1 failed",
        "a: DOC_TABLE_GONE the table is gone",
        "b: completed, 2 of 2 tables",
    ]


def test_units_without_work_are_not_waited_for() -> None:
    scene = Scene()
    scene.begin()
    scene.plan("a")
    scene.unit("b", "completed", 2)
    scene.unit("a", "completed", 2)
    scene.log.finish("completed", documented=2)
    scene.follow()
    assert scene.sink.started == [("document", 2)]


def test_a_run_of_one_machine_documents_all_units_of_its_plan() -> None:
    scene = Scene("run")
    scene.begin()
    scene.plan()
    scene.unit("b", "running", 1)
    scene.follow(lambda: scene.log.finish("completed"))
    assert scene.sink.started == [("document", 4)]


def test_a_run_that_fell_silent_is_not_followed_for_ever() -> None:
    scene = Scene()
    scene.begin()
    with pytest.raises(RunInterrupted, match=RUN):
        scene.follow(lambda: scene.clock.advance(301))


def test_a_run_that_another_one_replaced_has_ended() -> None:
    scene = Scene()
    scene.begin()
    scene.clock.advance(301)
    SharedLease(LeaseFile(scene.store, scene.clock), "r2", holder="x/1").open()
    with pytest.raises(RunInterrupted):
        scene.follow()


def test_what_ended_without_a_record_says_why_and_what_has_one_is_believed() -> None:
    def locked_out() -> None:
        raise RunLocked("another run was under way")

    with pytest.raises(RunLocked):
        Scene().follow(ended=locked_out)
    scene = Scene()
    scene.begin()
    scene.log.finish("failed")
    assert scene.follow(ended=locked_out).status == "failed"


def test_who_carries_a_run_out_is_waited_for_before_there_is_a_record() -> None:
    scene = Scene()
    record = scene.follow(lambda: None, scene.begin, lambda: scene.log.finish("completed"), ended=lambda: None)
    assert record.status == "completed"
