"""Progress: the status rule, the pending file, and folding the units' own files in."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cases import each_case
from tests.fakes import run_with
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import TABLES, SamplingReader, Shop, failing
from tribal.documenting import fold_progress, overall_status, pending_progress
from tribal.identity import locations
from tribal.ports import StopToken
from tribal.runs.pipeline import document_run, plan_run
from tribal.runs.signals import interrupted
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.store import put_record
from tribal_contracts import AgentStatus, DocumenterProgress, WorkUnitProgress


@each_case(
    ("parts", "whole"),
    [
        ([], "completed"),
        (["completed", "completed"], "completed"),
        (["pending", "pending"], "pending"),
        (["completed", "running", "failed"], "running"),
        (["failed", "failed"], "failed"),
        (["completed", "failed"], "partial"),
        (["completed", "pending"], "partial"),
        (["partial"], "partial"),
        (["failed", "pending"], "partial"),
    ],
)
def test_the_first_rule_that_matches_decides_the_status(parts: Sequence[AgentStatus], whole: AgentStatus) -> None:
    assert overall_status(parts) == whole


def test_before_documenting_everything_is_pending() -> None:
    shop = Shop()
    outline = shop.plan()
    progress = pending_progress(outline, shop.store, shop.clock)
    assert progress.status == "pending"
    assert progress.stats.total_tables == 4
    assert {unit.status for unit in progress.work_units.values()} == {"pending"}
    assert (progress.plan_file, progress.plan_hash) == (locations.PLAN_FILE, outline.plan_hash)


def test_folding_shows_how_far_the_units_have_come() -> None:
    shop = Shop()
    outline = shop.plan()
    pending = pending_progress(outline, shop.store, shop.clock)
    shop.clock.advance(5)
    shop.document(outline, only=["shop_sales"])
    folded = fold_progress(pending, shop.store, ThreadWorkerPool())
    assert folded.status == "partial"
    assert folded.work_units["shop_sales"].status == "completed"
    assert folded.work_units["shop_audit"].status == "pending"
    assert folded.stats.completed_tables == 2
    assert folded.last_checkpoint == shop.clock.published()


def test_the_progress_of_an_earlier_plan_is_not_taken_for_this_ones() -> None:
    shop = Shop()
    shop.document(shop.plan())
    shop.clock.advance(5)
    pending = pending_progress(shop.plan(), shop.store, shop.clock)
    assert fold_progress(pending, shop.store, ThreadWorkerPool()) == pending


def test_finishing_leaves_the_progress_of_the_whole_run() -> None:
    shop = Shop()
    shop.run(reader=SamplingReader(TABLES, on_sample=failing("sales.orders", ValueError("no"))))
    progress = DocumenterProgress.from_json(shop.memory.get(locations.DOCUMENTER_PROGRESS_FILE).data)
    assert progress.status == "partial"
    assert progress.completed_at is not None
    stats = progress.stats
    assert (stats.total_tables, stats.completed_tables, stats.failed_tables) == (4, 3, 1)
    assert set(progress.work_units) == {"shop_audit", "shop_billing", "shop_sales"}
    assert fold_progress(progress, shop.store, ThreadWorkerPool()) == progress


def test_a_run_of_one_unit_keeps_the_progress_of_the_others() -> None:
    shop = Shop()
    shop.run()
    before = shop.contents(locations.DOCUMENTER_PROGRESS_FILE)
    outline = shop.plan(unit_ids=["shop_audit"])
    shop.document(outline)
    shop.finish(outline)
    assert shop.contents(locations.DOCUMENTER_PROGRESS_FILE) == before


UNITS = ("shop_audit", "shop_billing", "shop_sales")


def plan_and_document(shop: Shop, run_id: str, stop: StopToken | None = None) -> DocumenterProgress:
    """One whole run of the shop; returns the progress that it leaves."""
    run = run_with(shop.app(), run_id, stop=stop)
    plan_run(run)
    document_run(run)
    return DocumenterProgress.from_json(shop.memory.get(locations.DOCUMENTER_PROGRESS_FILE).data)


def times(progress: WorkUnitProgress | DocumenterProgress) -> tuple[str | None, str | None]:
    return progress.started_at, progress.completed_at


def test_times_and_durations_are_those_of_the_present_plan() -> None:
    shop = Shop()
    plan_and_document(shop, "r1")
    slow = shop.progress("shop_audit").model_copy(update={"db_query_time_ms": 60_000})
    put_record(shop.store, locations.unit_progress_file("shop_audit"), slow)
    shop.clock.advance(3600)
    shop.replace(table("sales.orders", column("id", nullable=False), column("new")))
    progress = plan_and_document(shop, "r2")
    now = shop.clock.published()
    assert times(progress) == (now, now)
    assert progress.stats.db_query_time_ms == 0
    for unit_id in UNITS:
        assert times(progress.work_units[unit_id]) == (now, now)
        assert shop.progress(unit_id) == progress.work_units[unit_id]


def test_a_run_by_the_same_plan_keeps_its_times() -> None:
    shop = Shop()
    first = plan_and_document(shop, "r1")
    shop.clock.advance(3600)
    assert plan_and_document(shop, "r2") == first


def test_a_unit_that_was_stopped_under_an_earlier_plan_starts_again() -> None:
    shop = Shop()
    outline = shop.plan()
    plan_run(run_with(shop.app(), "r1"))
    shop.stop.request(interrupted())
    shop.document(outline, only=["shop_sales"])
    assert shop.progress("shop_sales").status == "running"
    shop.clock.advance(3600)
    shop.replace(table("sales.fresh", column("id")))
    plan_run(run_with(shop.app(), "r2"))
    assert shop.progress("shop_sales").status == "pending"
    shop.clock.advance(60)
    progress = plan_and_document(shop, "r3")
    assert times(progress.work_units["shop_sales"]) == (shop.clock.published(), shop.clock.published())
    assert progress.started_at == shop.clock.published()
