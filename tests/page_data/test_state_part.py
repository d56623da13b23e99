"""The last runs on the page: what was described, what the model cost, and comparisons with any of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore, RecordingSink
from tests.fakes.catalogs import column, table
from tests.page_data.test_first_view import page_of
from tests.page_data.test_parts import SALES, Page
from tests.sample_shop.documented import Shop
from tests.sample_shop.indexed import shop_tables
from tribal.errors import RequestRefused
from tribal.identity.locations import run_file
from tribal.identity.scope import EVERYTHING
from tribal.page_data.changes import LISTED_RUNS, changes_part
from tribal.page_data.home import NO_REPORTS
from tribal.page_data.parts import every_part
from tribal.page_data.state import SHOWN_RUNS, runs_part
from tribal.page_data.survey import page_toolbox
from tribal.ports import Caller
from tribal.runs.local import LocalRun
from tribal.store import put_record
from tribal_contracts import RunRecord

BY = {"human": 1, "comment": 2, "model": 0, "derived": 3}
TABLES, COLUMNS = {"n": 9, "by": BY}, {"n": 40, "by": {**BY, "model": 7}}
COVERAGE = {
    "tables": TABLES,
    "columns": COLUMNS,
    "domains": [{"database": "shop", "domain": "sales", "tables": TABLES, "columns": COLUMNS}],
}


def run_id(number: int) -> str:
    return f"20261121T{number:06}Z-1f9c2a"


def put_run(store: MemoryStore, number: int, **more: Any) -> None:
    content = {
        "schema_version": "1.0", "run_id": run_id(number), "command": "run", "status": "completed",
        "started_at": "2026-11-21T02:45:00Z", "completed_at": f"2026-11-21T03:{number:02}:00Z",
        "tables_documented": 0, "tables_unchanged": 9, "tables_failed": 0, "errors": [], **more,
    }  # fmt: skip
    put_record(store, run_file(run_id(number)), RunRecord.model_validate(content))


def test_the_last_runs_that_published_documents_come_oldest_first() -> None:
    store = MemoryStore()
    for number in range(SHOWN_RUNS + 3):
        put_run(store, number, coverage=COVERAGE)
    put_run(store, 40, command="plan")
    store.put("progress/runs/latest-plan.json", b"{}")
    runs = runs_part(store)
    assert [run["at"] for run in runs] == [f"2026-11-21T03:{number:02}:00Z" for number in range(3, SHOWN_RUNS + 3)]
    assert runs[-1] == {
        "at": "2026-11-21T03:14:00Z",
        "tables": TABLES,
        "columns": COLUMNS,
        "domains": [["shop", "sales", TABLES, COLUMNS]],
    }


@each_case(
    ("recorded", "shown"),
    [
        ({"usage": {"calls": 2, "nanodollars": 1_250_000_000}}, {"usd": 1.25}),
        (
            {"usage": {"calls": 2, "nanodollars": 40_000_000}, "quote": {"calls": 3, "nanodollars": 50_000_000}},
            {"usd": 0.04, "quoted": 0.05},
        ),
        ({"quote": {"calls": 3, "nanodollars": 50_000_000}}, {"usd": 0.0, "quoted": 0.05}),
    ],
)
def test_what_the_model_cost_stands_next_to_what_was_expected(recorded: dict[str, Any], shown: dict[str, Any]) -> None:
    store = MemoryStore()
    put_run(store, 1, coverage=COVERAGE, **recorded)
    (run,) = runs_part(store)
    assert {name: run[name] for name in ("usd", "quoted") if name in run} == shown


def test_only_callers_who_see_everything_get_the_runs(tmp_path: Path) -> None:
    store = MemoryStore()
    put_run(store, 1, coverage=COVERAGE)
    page = page_of(shop_tables(), tmp_path, store)
    assert len(page.part("state")["runs"]) == 1
    assert "runs" not in page.part("state", SALES)


def test_a_site_has_the_runs_without_what_they_cost(tmp_path: Path) -> None:
    store = MemoryStore()
    money = {"usage": {"calls": 2, "nanodollars": 40_000_000}, "quote": {"calls": 3, "nanodollars": 50_000_000}}
    put_run(store, 1, coverage=COVERAGE, **money)
    page = page_of(shop_tables(), tmp_path, store)
    with page.app.index().reading():
        parts: Any = dict(every_part(page_toolbox(Caller("site"), page.app), store, NO_REPORTS))
    (run,) = parts["state"]["runs"]
    (served,) = page.part("state")["runs"]
    assert {**run, "usd": 0.04, "quoted": 0.05} == served
    assert not {"usd", "quoted"} & run.keys()


def planned(runs: int) -> tuple[Shop, list[str]]:
    """A shop that was read so often, with a new column each time; returns its run ids, newest first."""
    shop, ids = Shop(), []
    for number in range(runs):
        shop.clock.advance(60)
        columns = [column(f"c{each}", "text") for each in range(number + 1)]
        shop.replace(table("sales.visit", *columns))
        with LocalRun(shop.app(), "plan", RecordingSink()) as work:
            work.plan()
        ids.append(work.record.run_id)
    return shop, ids[::-1]


def columns_added(part: Any) -> int:
    return sum(len(changes) for database in part["databases"] for _, _, changes in database["tables"])


def test_the_last_run_is_compared_with_the_one_before_or_with_any_other_of_the_list() -> None:
    shop, (last, before, first) = planned(3)
    part = changes_part(shop.memory, EVERYTHING)
    assert (part["runs"], part["before"], part["after"]) == ([before, first], before, last)
    since = changes_part(shop.memory, EVERYTHING, since=first)
    assert (since["before"], since["after"], since["runs"]) == (first, last, part["runs"])
    assert columns_added(since) > columns_added(part) > 0
    scoped = changes_part(shop.memory, SALES)
    assert scoped["runs"] == part["runs"]


def test_no_more_runs_are_listed_than_people_pick_from_and_no_other_can_be_asked_for() -> None:
    store = MemoryStore()
    for number in range(LISTED_RUNS + 3):
        store.put(f"progress/runs/{run_id(number)}/catalog/shop.json", b"{}")
    runs = changes_part(store, EVERYTHING)["runs"]
    assert runs == [run_id(number) for number in range(LISTED_RUNS + 1, 1, -1)]
    for asked in (run_id(LISTED_RUNS + 2), run_id(0), "nothing", "../x", ""):
        with pytest.raises(RequestRefused, match="there is no run"):
            changes_part(store, EVERYTHING, since=asked)


def test_over_http_an_unknown_run_is_a_bad_request(tmp_path: Path) -> None:
    page: Page = page_of(shop_tables(), tmp_path)
    status, answer = page.asked("changes", Caller("reader"), since="nothing")
    assert (status, answer["error"]["code"]) == (400, "HTTP_REQUEST_INVALID")
    assert "'nothing'" in answer["error"]["message"]
    assert page.part("changes")["runs"] == []
