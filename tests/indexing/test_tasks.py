"""Tasks of the indexer's queue: what each leads to, and that asking first leaves nothing behind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FixedClock, MemoryStore, RecordingSink
from tests.sample_shop.indexed import shop_tables, table_document, write_documentation
from tests.sample_shop.indexing_runs import EVERYWHERE, LetterEmbedder, stop_after
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.catalog.locations import INDEXER_PROGRESS_FILE, MANIFEST_FILE
from tribal.indexing import IndexingContext, IndexTask, TaskResult, carry_out
from tribal.indexing.tasks import RECONCILE_AFTER_SECONDS, FollowUp
from tribal.ports import StopToken
from tribal_contracts import IndexerProgress

MANIFEST, RECONCILE, REBUILD = (IndexTask(kind="manifest"), IndexTask(kind="reconcile"), IndexTask(kind="rebuild"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "index.db"


@pytest.fixture
def context(path: Path) -> Iterator[IndexingContext]:
    index = SqliteIndex(path)
    yield IndexingContext(MemoryStore(), index, LetterEmbedder(), FixedClock(), RecordingSink(), stop=StopToken())
    index.close()


def documented(context: IndexingContext) -> MemoryStore:
    assert isinstance(context.store, MemoryStore)
    write_documentation(context.store, shop_tables())
    return context.store


def follow_up_kinds(result: TaskResult) -> list[str]:
    return [task.kind for follow_up in result.follow_ups for task in follow_up.tasks]


def test_a_manifest_is_fanned_out_into_units_and_a_later_reconciliation_without_beginning_an_index(
    context: IndexingContext, path: Path
) -> None:
    documented(context)
    result = carry_out(MANIFEST, context, side_by_side=True)
    units, reconcile = result.follow_ups
    assert {task.unit for task in units.tasks} >= {"shop_sales", "shop_customers", "web_marketing"}
    assert all(task.in_place for task in units.tasks)
    assert reconcile == FollowUp((RECONCILE,), RECONCILE_AFTER_SECONDS)
    assert not path.parent.exists()


def test_a_manifest_that_is_indexed_already_leads_to_a_reconciliation_at_once(context: IndexingContext) -> None:
    documented(context)
    carry_out(RECONCILE, context, side_by_side=True)
    units, reconcile = carry_out(MANIFEST, context, side_by_side=True).follow_ups
    assert units.tasks == ()
    assert reconcile == FollowUp((RECONCILE,))


def test_an_index_that_agrees_with_the_manifest_is_left_as_it_is(context: IndexingContext, path: Path) -> None:
    documented(context)
    assert carry_out(RECONCILE, context, side_by_side=True) == TaskResult("indexed")
    context.index.close()
    before = {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()}
    assert sorted(before) == [path.name, f"{path.name}-sum"]
    assert carry_out(RECONCILE, context, side_by_side=True) == TaskResult("manifest and index agree")
    assert {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()} == before


def test_a_file_too_many_is_no_agreement(context: IndexingContext) -> None:
    documented(context)
    carry_out(RECONCILE, context, side_by_side=True)
    metadata, graph = context.index.metadata(), context.index.key_graph()
    assert metadata is not None
    assert graph is not None
    context.index.begin(context.model, context.dimensions)
    context.index.replace({"gone.json": []}, [], {"gone.json": "0" * 64})
    context.index.finish(metadata, graph)
    assert carry_out(RECONCILE, context, side_by_side=True).summary == "indexed"
    assert "gone.json" not in context.index.held(context.model)


def test_one_writer_alone_takes_a_manifest_in_by_itself(context: IndexingContext) -> None:
    documented(context)
    assert carry_out(MANIFEST, context, side_by_side=False) == TaskResult("indexed")
    assert len(context.index.tables(EVERYWHERE)) == len(shop_tables())


@pytest.mark.parametrize("task", [RECONCILE, REBUILD, IndexTask(kind="unit", unit="shop_a")])
def test_a_task_that_runs_out_of_time_is_queued_again_as_resumed(context: IndexingContext, task: IndexTask) -> None:
    assert isinstance(context.store, MemoryStore)
    tables = [table_document(f"shop.s.t{number:03}", "id", domain="a") for number in range(150)]
    write_documentation(context.store, tables)
    result = carry_out(task, replace(context, stop=stop_after(1)), side_by_side=True)
    (follow_up,) = result.follow_ups
    (rest,) = follow_up.tasks
    assert rest == task.model_copy(update={"resumed": True})
    assert carry_out(rest, context, side_by_side=True) == TaskResult("indexed")
    assert len(context.index.tables(EVERYWHERE)) == 150


def test_a_manifest_that_was_replaced_meanwhile_is_reconciled_afterwards(context: IndexingContext) -> None:
    store = documented(context)

    def replaced() -> float:
        write_documentation(store, [table for table in shop_tables() if table.table != "product"])
        return math.inf

    result = carry_out(RECONCILE, replace(context, stop=StopToken(replaced)), side_by_side=True)
    assert follow_up_kinds(result) == ["reconcile"]
    assert context.index.metadata() is None


@pytest.mark.parametrize("task", [MANIFEST, RECONCILE, REBUILD])
def test_a_manifest_that_cannot_be_indexed_is_a_result_and_on_record(context: IndexingContext, task: IndexTask) -> None:
    documented(context).put(MANIFEST_FILE, b"no JSON")
    result = carry_out(task, context, side_by_side=True)
    assert result.blocked_by is not None
    assert result.follow_ups == ()
    progress = IndexerProgress.from_json(context.store.get(INDEXER_PROGRESS_FILE).data)
    assert (progress.status, [error.code for error in progress.errors]) == ("failed", [result.blocked_by.code])


def test_without_a_manifest_nothing_is_put_on_record(context: IndexingContext, path: Path) -> None:
    result = carry_out(RECONCILE, context, side_by_side=True)
    assert result.blocked_by is not None
    assert result.blocked_by.code == "IDX_MANIFEST_NOT_FOUND"
    assert context.store.head(INDEXER_PROGRESS_FILE) is None
    assert not path.parent.exists()
