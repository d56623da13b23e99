"""Ids and records of runs."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from tests.fakes import FixedClock, MemoryStore
from tribal.identity.locations import require_key, run_file
from tribal.jobs.clock import SystemClock
from tribal.runs.records import RunLog, new_run_id
from tribal_contracts import RunRecord, agent_error


def test_an_id_tells_the_second_and_the_entropy() -> None:
    assert new_run_id(FixedClock(), lambda: "1f9c2a") == "20261121T024500Z-1f9c2a"


def test_ids_sort_by_their_start_whatever_their_entropy() -> None:
    clock = FixedClock()
    entropy = iter(["f", "e", "d", "c", "b", "a"])
    ids = []
    for seconds in (1, 60, 3600, 86_400, 31 * 86_400, 400 * 86_400):
        clock.advance(seconds)
        ids.append(new_run_id(clock, lambda: next(entropy)))
    assert ids == sorted(ids)


def test_an_id_is_in_utc_whatever_the_zone_of_the_clock() -> None:
    clock = FixedClock(datetime(2026, 11, 20, 21, 45, tzinfo=timezone(timedelta(hours=-5))))
    assert new_run_id(clock, lambda: "x") == "20261121T024500Z-x"


def test_ids_of_one_second_differ_by_themselves_and_are_safe_in_keys() -> None:
    clock = FixedClock()
    ids = {new_run_id(clock) for _ in range(50)}
    assert len(ids) == 50
    for run_id in ids:
        assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}", run_id)
        require_key(run_file(run_id))


def test_an_id_uses_the_real_time_when_the_published_one_stands_still() -> None:
    assert not new_run_id(SystemClock(0)).startswith("1970")


def test_the_record_of_a_run_tells_its_start_its_plan_and_its_end() -> None:
    store, clock = MemoryStore(), FixedClock()
    log = RunLog(store, clock, "r1", "tribal run")

    def stored() -> RunRecord:
        return RunRecord.from_json(store.get(run_file("r1")).data)

    log.start()
    assert (stored().status, stored().started_at, stored().completed_at) == ("running", "2026-11-21T02:45:00Z", None)
    log.attach_plan("progress/runs/r1/plan.json", "a" * 64)
    assert stored().plan_hash == "a" * 64
    clock.advance(60)
    error = agent_error("DOC_TABLE_GONE", "gone", timestamp=clock.published())
    ended = log.finish("partial", documented=3, unchanged=2, failed=1, errors=[error])
    assert stored() == ended == log.record
    assert (ended.command, ended.plan_file) == ("tribal run", "progress/runs/r1/plan.json")
    assert (ended.started_at, ended.completed_at) == ("2026-11-21T02:45:00Z", "2026-11-21T02:46:00Z")
    assert (ended.status, ended.tables_documented, ended.tables_unchanged, ended.tables_failed) == ("partial", 3, 2, 1)
    assert ended.errors == [error]
