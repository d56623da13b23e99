"""Tasks of the indexer's queue: what each leads to."""

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
from tribal.identity.locations import INDEXER_PROGRESS_FILE, MANIFEST_FILE
from tribal.indexing import FollowUp, IndexingContext, IndexTask, TaskResult, run_task
from tribal.ports import StopToken
from tribal_contracts import IndexerProgress

MANIFEST, REBUILD = IndexTask(kind="manifest"), IndexTask(kind="rebuild")


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


def test_a_manifest_is_taken_in_and_the_next_message_about_it_changes_nothing(
    context: IndexingContext, path: Path
) -> None:
    documented(context)
    assert run_task(MANIFEST, context) == TaskResult("indexed")
    assert len(context.index.tables(EVERYWHERE)) == len(shop_tables())
    context.index.close()
    before = {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()}
    assert sorted(before) == [path.name, f"{path.name}-sum"]
    assert run_task(MANIFEST, context) == TaskResult("indexed")
    assert {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()} == before


@pytest.mark.parametrize("indexed_before", [False, True])
@pytest.mark.parametrize("task", [MANIFEST, REBUILD])
def test_a_task_that_runs_out_of_time_is_resumed_by_a_look_at_the_manifest(
    context: IndexingContext, task: IndexTask, indexed_before: bool
) -> None:
    assert isinstance(context.store, MemoryStore)
    if indexed_before:
        documented(context)
        run_task(MANIFEST, context)
    tables = [table_document(f"shop.s.t{number:03}", "id", domain="a") for number in range(250)]
    write_documentation(context.store, tables)
    first, second = LetterEmbedder(), LetterEmbedder()
    result = run_task(task, replace(context, embedder=first, stop=stop_after(2)))
    assert result.follow_up == FollowUp(MANIFEST)
    assert run_task(MANIFEST, replace(context, embedder=second)) == TaskResult("indexed")
    # Nothing of the three batches is done twice.
    assert (first.calls, second.calls) == (2, 1)
    assert len(context.index.tables(EVERYWHERE)) == 250


def test_a_manifest_that_was_replaced_meanwhile_is_looked_at_again(context: IndexingContext) -> None:
    store = documented(context)

    def replaced() -> float:
        write_documentation(store, [table for table in shop_tables() if table.table != "product"])
        return math.inf

    result = run_task(MANIFEST, replace(context, stop=StopToken(replaced)))
    assert result.follow_up == FollowUp(MANIFEST)
    assert context.index.metadata() is None


@pytest.mark.parametrize("task", [MANIFEST, REBUILD])
def test_a_manifest_that_cannot_be_indexed_is_a_result_and_on_record(context: IndexingContext, task: IndexTask) -> None:
    documented(context).put(MANIFEST_FILE, b"no JSON")
    result = run_task(task, context)
    assert result.blocked_by is not None
    assert result.follow_up is None
    progress = IndexerProgress.from_json(context.store.get(INDEXER_PROGRESS_FILE).data)
    assert (progress.status, [error.code for error in progress.errors]) == ("failed", [result.blocked_by.code])


def test_without_a_manifest_nothing_is_put_on_record(context: IndexingContext, path: Path) -> None:
    result = run_task(MANIFEST, context)
    assert result.blocked_by is not None
    assert result.blocked_by.code == "IDX_MANIFEST_NOT_FOUND"
    assert context.store.head(INDEXER_PROGRESS_FILE) is None
    assert not path.parent.exists()
