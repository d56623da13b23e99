"""What every index does with generations; `search_index` hands these bodies on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conformance.index_entries import (
    DIMENSIONS,
    EVERYWHERE,
    HASH_A,
    HASH_B,
    MODEL,
    Index,
    change,
    column_entry,
    fill,
    found,
    held,
    key_graph,
    lexical,
    metadata,
    near,
    table_entry,
    vector,
)
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.ports import DerivedValues, IndexCounts, IndexedTable


def test_nothing_is_written_before_it_is_started(index: Index) -> None:
    with pytest.raises(IndexWriteFailed, match="begin"):
        index.replace({}, [])
    with pytest.raises(IndexWriteFailed, match="begin"):
        index.finish(metadata(), key_graph())


def test_a_half_built_index_is_not_ready_and_is_resumed(index: Index, other: Index) -> None:
    assert index.begin(MODEL, DIMENSIONS) == {}
    index.replace({"a.json": [table_entry(names=["order"])]}, [])
    assert index.counts() == IndexCounts(1, 0)
    assert index.metadata() is None
    with pytest.raises(IndexNotReady):
        index.tables(EVERYWHERE)
    index.close()
    assert other.begin(MODEL, DIMENSIONS) == {"a.json": HASH_A}
    other.finish(metadata(), key_graph())
    assert found(index, "order") == ["orders"]


@pytest.mark.parametrize("model", [MODEL, "another"])
def test_a_generation_in_progress_is_never_seen(index: Index, other: Index, model: str) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)))
    index.begin(model, DIMENSIONS)
    path = str(table_entry().record.source_path)
    index.replace({"b.json": [table_entry("shop.sales.new", names=["new"])]}, [path])
    for handle in (index, other):
        assert [entry.table for entry in handle.tables(EVERYWHERE)] == ["orders"]
        assert (found(handle, "order"), found(handle, "new"), near(handle, 1)) == (["orders"], [], ["orders"])
    index.finish(metadata(HASH_B), key_graph("new"))
    for handle in (index, other):
        assert [entry.table for entry in handle.tables(EVERYWHERE)] == ["new"]
        assert (found(handle, "order"), found(handle, "new"), near(handle, 1)) == ([], ["new"], [])


def test_what_a_thread_reads_in_one_go_is_of_one_generation(index: Index, other: Index) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)))
    path, later = str(table_entry().record.source_path), table_entry("shop.sales.later", names=["later"])
    with other.reading():
        (before,) = other.tables(EVERYWHERE)
        change(index, {"b.json": [later]}, path)
        with other.reading():
            assert other.tables(EVERYWHERE) == [before]
        assert list(other.records([before.record_id])) == [before.record_id]
        assert (near(other, 1), found(other, "order"), found(other, "later")) == (["orders"], ["orders"], [])
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(found, other, "later").result() == ["later"]
    assert (near(other, 1), found(other, "order"), found(other, "later")) == ([], [], ["later"])


def test_a_generation_begins_with_what_is_there_of_the_same_model(index: Index) -> None:
    fill(index, table_entry(names=["order"]))
    path = str(table_entry().record.source_path)
    assert index.begin(MODEL, DIMENSIONS) == {path: HASH_A}
    assert index.begin("another", DIMENSIONS) == {}
    assert index.begin(MODEL, DIMENSIONS) == {path: HASH_A}
    assert index.begin(MODEL, DIMENSIONS, from_scratch=True) == {}
    assert index.begin(MODEL, DIMENSIONS) == {}
    index.abandon()
    assert index.begin(MODEL, DIMENSIONS) == {path: HASH_A}


def test_what_is_abandoned_leaves_the_present_generation(index: Index, other: Index) -> None:
    index.abandon()
    fill(index, table_entry(names=["order"]))
    index.begin(MODEL, DIMENSIONS, from_scratch=True)
    index.replace({"b.json": [table_entry("shop.sales.new", names=["new"])]}, [])
    index.abandon()
    assert found(other, "order") == ["orders"]
    assert list(held(other)) == [str(table_entry().record.source_path)]


def test_a_file_that_is_taken_in_twice_leaves_nothing_of_the_first_time(index: Index) -> None:
    index.begin(MODEL, DIMENSIONS)
    index.replace(
        {"a.json": [table_entry("shop.sales.old", names=["old"]), column_entry("a.b.c", "d", names=["old"])]}, []
    )
    index.replace({"a.json": [table_entry("shop.sales.new", names=["new"])]}, [], {"a.json": HASH_B})
    index.replace({"b.json": [table_entry("shop.sales.gone", names=["gone"])]}, [])
    index.replace({}, ["b.json"])
    index.finish(metadata(), key_graph())
    assert (found(index, "old"), found(index, "new"), found(index, "gone")) == ([], ["new"], [])
    assert lexical(index, ["old"], "column", EVERYWHERE, 9) == []
    assert held(index) == {"a.json": HASH_B}


def test_asking_whether_a_generation_is_unfinished_leaves_nothing_behind(
    index: Index, other: Index, traces: Callable[[], list[str]]
) -> None:
    assert not index.is_unfinished(MODEL)
    assert traces() == []
    fill(index, table_entry(names=["order"]))
    before = traces()
    assert not index.is_unfinished(MODEL)
    assert traces() == before
    index.begin(MODEL, DIMENSIONS, from_scratch=True)
    started = traces()
    assert (other.is_unfinished(MODEL), other.is_unfinished("another")) == (True, False)
    assert traces() == started
    index.abandon()
    assert not other.is_unfinished(MODEL)


def test_each_generation_of_each_index_has_a_token_of_its_own(index: Index, other: Index, elsewhere: Index) -> None:
    fill(index, table_entry(names=["order"]))
    fill(elsewhere, table_entry(names=["order"]))
    first = index.generation()
    assert index.generation() == other.generation() == first
    assert elsewhere.generation() != first
    index.begin(MODEL, DIMENSIONS)
    assert index.generation() == other.generation() == first
    with other.reading():
        assert other.generation() == first
        index.finish(metadata(), key_graph())
        assert other.generation() == first
    assert other.generation() == index.generation()
    assert len({first, index.generation(), elsewhere.generation()}) == 3


def test_what_is_worked_out_from_two_indexes_asked_in_turn_is_worked_out_once_for_each(
    index: Index, elsewhere: Index
) -> None:
    derived, built = DerivedValues(), list[str]()

    def ask(asked: Index) -> list[IndexedTable]:
        def build() -> list[IndexedTable]:
            tables = asked.tables(EVERYWHERE)
            built.append(tables[0].table)
            return tables

        with asked.reading():
            return derived.get(asked.generation(), "tables", build)

    fill(index, table_entry("shop.sales.here"))
    fill(elsewhere, table_entry("shop.sales.there"))
    for _ in range(3):
        assert [ask(one)[0].table for one in (index, elsewhere)] == ["here", "there"]
    assert built == ["here", "there"]
    change(index, {"b.json": [table_entry("shop.sales.ahead")]})
    for _ in range(2):
        assert [ask(one)[0].table for one in (index, elsewhere)] == ["ahead", "there"]
    assert built == ["here", "there", "ahead"]
