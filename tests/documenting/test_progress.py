"""Progress: the status rule, the pending file, and folding the units' own files in."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.sample_shop.documented import TABLES, SamplingReader, Shop, failing
from tribal.catalog import locations
from tribal.documenting import fold_progress, overall_status, pending_progress
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal_contracts import AgentStatus, DocumenterProgress


@pytest.mark.parametrize(
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
