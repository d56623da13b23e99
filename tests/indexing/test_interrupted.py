"""Indexing that is stopped, overtaken or done unit by unit: readers see whole states, and nothing comes back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FixedClock, MemoryStore
from tests.indexing.index_dump import logical_dump
from tests.sample_shop.indexed import shop_tables, table_document, write_documentation
from tests.sample_shop.indexing_runs import EVERYWHERE, LetterEmbedder, run, stop_after
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import IndexNotReady, RunInterrupted
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import INDEXER_PROGRESS_FILE, MANIFEST_FILE
from tribal.ports import StopToken
from tribal_contracts import IndexerProgress

pytestmark = pytest.mark.slow


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    handle = SqliteIndex(tmp_path / "index.db")
    yield handle
    handle.close()


def test_a_stopped_run_is_not_ready_and_the_next_one_resumes(store: MemoryStore, index: SqliteIndex) -> None:
    write_documentation(store, [table_document(f"shop.s.t{number:03}", "id", domain="a") for number in range(250)])
    with pytest.raises(RunInterrupted):
        run(store, index, stop=stop_after(2))
    stopped = IndexerProgress.from_json(store.get(INDEXER_PROGRESS_FILE).data)
    assert (stopped.status, stopped.files_indexed) == ("partial", 200)
    assert [error.code for error in stopped.errors] == ["DOC_RUN_INTERRUPTED"]
    with pytest.raises(IndexNotReady):
        index.tables(EVERYWHERE)
    second = LetterEmbedder()
    progress = run(store, index, embedder=second)
    assert progress.status == "completed"
    assert second.calls == 1
    assert len(index.tables(EVERYWHERE)) == 250


def test_a_half_built_index_of_another_model_is_restarted(store: MemoryStore, index: SqliteIndex) -> None:
    write_documentation(store, [table_document(f"shop.s.t{number:03}", "id", domain="a") for number in range(150)])
    with pytest.raises(RunInterrupted):
        run(store, index, stop=stop_after(1))
    progress = run(store, index, embedder=LetterEmbedder("other"))
    assert progress.embeddings_generated == 150 * 3 + 1


def test_units_are_indexed_one_by_one_and_published_when_all_are_there(
    store: MemoryStore, index: SqliteIndex, tmp_path: Path
) -> None:
    tables = shop_tables()
    write_documentation(store, tables)
    units = sorted({f"{table.database}_{table.domain}" for table in tables})
    for unit in units:
        assert index.metadata() is None
        progress = run(store, index, work_units=frozenset({unit}))
        assert progress.status == "completed"
    metadata = index.metadata()
    assert metadata is not None
    assert metadata.manifest_hash == bytes_hash(store.get(MANIFEST_FILE).data)
    assert len(index.tables(EVERYWHERE)) == len(tables)


def test_a_unit_of_a_newer_manifest_is_taken_in_without_claiming_the_rest(
    store: MemoryStore, index: SqliteIndex
) -> None:
    tables = shop_tables()
    write_documentation(store, tables)
    run(store, index)
    old = bytes_hash(store.get(MANIFEST_FILE).data)
    write_documentation(store, [table.model_copy(update={"row_count": 5}) for table in tables])
    later = FixedClock()
    later.advance(60)
    before = index.metadata()
    run(store, index, work_units=frozenset({"shop_sales"}), clock=later)
    metadata = index.metadata()
    assert before is not None
    assert metadata is not None
    assert (metadata.manifest_hash, metadata.last_full_index) == (old, before.last_full_index)
    ids = {entry.table: entry.record_id for entry in index.tables(EVERYWHERE) if entry.database == "shop"}
    records = index.records(list(ids.values()))
    rows = {name: document.row_count for name, i in ids.items() if (document := records[i].structured) is not None}
    assert rows["order_header"] == 5
    assert rows["product"] == 100
    run(store, index, clock=later)
    after = index.metadata()
    assert after is not None
    assert after.manifest_hash != old
    assert after.last_full_index == later.published()


def test_a_unit_that_was_held_up_while_the_next_manifest_was_indexed_brings_nothing_back(index: SqliteIndex) -> None:
    class Waiting(MemoryStore):
        """Lets the next run pass by before the first look at a document; what is retired still lies there."""

        waiting = False

        def head(self, key: str) -> Any:
            if self.waiting:
                self.waiting = False
                write_documentation(self, kept)
                run(self, index)
            return super().head(key)

    store = Waiting()
    tables = shop_tables()
    unit = tables[0].database, tables[0].domain
    kept = [table for table in tables if (table.database, table.domain) != unit]
    write_documentation(store, tables)
    run(store, index)
    store.waiting = True
    assert run(store, index, work_units=frozenset({"_".join(unit)})).status == "pending"
    assert len(index.tables(EVERYWHERE)) == len(kept)
    assert run(store, index).status == "completed"
    assert len(index.tables(EVERYWHERE)) == len(kept)


def test_a_run_whose_manifest_was_replaced_while_it_worked_publishes_nothing_older(
    store: MemoryStore, index: SqliteIndex
) -> None:
    write_documentation(store, shop_tables())
    run(store, index)
    before = index.metadata()
    write_documentation(store, [table.model_copy(update={"row_count": 5}) for table in shop_tables()])

    def replaced() -> float:
        write_documentation(store, [table for table in shop_tables() if table.table != "product"])
        return math.inf

    assert run(store, index, stop=StopToken(replaced)).status == "pending"
    assert index.metadata() == before
    assert run(store, index).status == "completed"
    assert "product" not in [entry.table for entry in index.tables(EVERYWHERE)]


def test_a_unit_that_is_taken_in_while_a_rebuild_is_half_done_hides_no_table(
    store: MemoryStore, index: SqliteIndex
) -> None:
    tables = [table_document(f"shop.s.t{number:03}", "id", domain="a") for number in range(250)]
    others = [table_document("shop.u.other", "id", domain="b")]
    write_documentation(store, [*tables, *others])
    run(store, index)
    with pytest.raises(RunInterrupted):
        run(store, index, force=True, stop=stop_after(1))
    write_documentation(store, [*tables, *(table.model_copy(update={"row_count": 5}) for table in others)])
    run(store, index, work_units=frozenset({"shop_b"}))
    assert len(index.tables(EVERYWHERE)) == 251
    assert run(store, index).status == "completed"
    assert len(index.tables(EVERYWHERE)) == 251


def test_a_rebuild_of_what_is_current_that_was_stopped_is_resumed(store: MemoryStore, index: SqliteIndex) -> None:
    write_documentation(store, [table_document(f"shop.s.t{number:03}", "id", domain="a") for number in range(250)])
    run(store, index)
    with pytest.raises(RunInterrupted):
        run(store, index, force=True, stop=stop_after(2))
    second = LetterEmbedder()
    assert run(store, index, embedder=second).status == "completed"
    # Of three batches two were done.
    assert second.calls == 1
    assert len(index.tables(EVERYWHERE)) == 250
    third = LetterEmbedder()
    assert run(store, index, embedder=third).status == "completed"
    assert third.calls == 0


def test_a_unit_that_left_the_manifest_writes_nothing(store: MemoryStore, index: SqliteIndex, tmp_path: Path) -> None:
    write_documentation(store, shop_tables())
    run(store, index)
    progress, before = store.get(INDEXER_PROGRESS_FILE).data, logical_dump(tmp_path / "index.db")
    assert run(store, index, work_units=frozenset({"shop_gone"})).files_total == 0
    assert store.get(INDEXER_PROGRESS_FILE).data == progress
    assert logical_dump(tmp_path / "index.db") == before
