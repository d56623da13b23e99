"""One indexer at a time: who comes second waits, and whatever becomes of the first, the index ends as it should."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from tests.fakes import FixedClock, MemoryStore, RecordingSink
from tests.runs.unreliable_indexing import Experiment
from tests.sample_shop.indexed import shop_tables, write_documentation
from tests.sample_shop.indexing_runs import EVERYWHERE, LetterEmbedder
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.indexing import FollowUp, IndexingContext, IndexTask, TaskResult, run
from tribal.jobs.lease import TERM_SECONDS
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import StopToken
from tribal.runs.indexing import LEASE, run_task_exclusively

MANIFEST, REBUILD = IndexTask(kind="manifest"), IndexTask(kind="rebuild")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def context(tmp_path: Path, clock: FixedClock) -> Iterator[IndexingContext]:
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, shop_tables())
    yield IndexingContext(store, index, LetterEmbedder(), clock, RecordingSink(), StopToken())
    index.close()


@pytest.mark.parametrize("task", [MANIFEST, REBUILD])
def test_a_task_that_meets_another_indexer_comes_back_when_the_lease_of_that_one_would_end(
    context: IndexingContext, clock: FixedClock, task: IndexTask
) -> None:
    term = timedelta(seconds=TERM_SECONDS)
    LeaseFile(context.store, clock, LEASE).take("first", "elsewhere/1", term, is_held=lambda _: True)
    clock.advance(20)
    met = run_task_exclusively(task, context, "second")
    assert met.follow_up == FollowUp(task, 40)
    assert context.index.metadata() is None
    clock.advance(40)
    assert run_task_exclusively(task, context, "second") == TaskResult("indexed")
    assert len(context.index.tables(EVERYWHERE)) == len(shop_tables())


def test_an_indexer_that_has_ended_keeps_no_one_waiting(context: IndexingContext) -> None:
    for run_id in ("first", "second"):
        assert run_task_exclusively(MANIFEST, context, run_id) == TaskResult("indexed")


@pytest.mark.xdist_group("opensearch")
@pytest.mark.parametrize("seed", range(3))
def test_delayed_stalled_and_lost_indexers_leave_an_index_as_if_one_had_worked_alone(
    opensearch: OpenSearch, index_name: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    # So that 40 tables are several batches, between which a call may end.
    monkeypatch.setattr(run, "FILES_AT_ONCE", 10)
    assert Experiment(opensearch, index_name, tables=40, term_seconds=0.3).agrees(seed)
