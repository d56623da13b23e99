"""The published SQLite index keeps the port's contract over a store, and what is its own: generations, races, kills."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.conformance.index_entries import (
    DIMENSIONS,
    EVERYWHERE,
    HASH_B,
    MODEL,
    change,
    fill,
    found,
    held,
    key_graph,
    metadata,
    table_entry,
)
from tests.conformance.search_index import *  # noqa: F403
from tests.fakes import MemoryStore
from tribal.adapters.sqlite.published import FOLDER, POINTER, PublishedSqliteIndex
from tribal.errors import IndexNotReady, IndexWriteFailed, StoreError


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def machine(store: MemoryStore, tmp_path: Path) -> Iterator[Callable[[str], PublishedSqliteIndex]]:
    """Opens the index on a machine of that name, which has a disk of its own."""
    opened: list[PublishedSqliteIndex] = []

    def open_index(name: str) -> PublishedSqliteIndex:
        opened.append(PublishedSqliteIndex(store, tmp_path / name, check_every_seconds=0))
        return opened[-1]

    yield open_index
    for index in opened:
        index.close()


@pytest.fixture
def index(machine: Callable[[str], PublishedSqliteIndex]) -> PublishedSqliteIndex:
    return machine("one")


@pytest.fixture
def other(machine: Callable[[str], PublishedSqliteIndex]) -> PublishedSqliteIndex:
    return machine("one")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[PublishedSqliteIndex]:
    handle = PublishedSqliteIndex(MemoryStore(), tmp_path / "elsewhere", check_every_seconds=0)
    yield handle
    handle.close()


@pytest.fixture
def traces(store: MemoryStore, tmp_path: Path) -> Callable[[], list[str]]:
    def list_all() -> list[str]:
        files = (path.relative_to(tmp_path).as_posix() for path in (tmp_path / "one").rglob("*"))
        return [*sorted(store.keys("")), *sorted(files)]

    return list_all


Machine = Callable[[str], PublishedSqliteIndex]


def test_what_one_machine_publishes_another_reads_and_resumes(machine: Machine) -> None:
    here, there = machine("here"), machine("there")
    fill(here, table_entry("shop.sales.a", names=["order"]))
    assert found(there, "order") == ["a"]
    fill(there, table_entry("shop.sales.b", names=["order"]))
    assert sorted(found(here, "order")) == ["a", "b"]
    assert held(here) == held(there)


def test_of_two_indexers_at_once_one_publishes_and_the_other_gets_an_error(machine: Machine) -> None:
    here, there = machine("here"), machine("there")
    fill(here, table_entry("shop.sales.kept", names=["order"]))
    here.begin(MODEL, DIMENSIONS)
    fill(there, table_entry("shop.sales.theirs", names=["order"]))
    here.replace({"mine.json": [table_entry("shop.sales.mine", names=["order"])]}, [])
    with pytest.raises(IndexWriteFailed, match="another indexer"):
        here.finish(metadata(HASH_B), key_graph())
    assert sorted(found(here, "order")) == sorted(found(there, "order")) == ["kept", "theirs"]
    change(here, {"mine.json": [table_entry("shop.sales.mine", names=["order"])]})
    assert sorted(found(there, "order")) == ["kept", "mine", "theirs"]


def test_two_first_indexers_at_once_publish_one_index(machine: Machine) -> None:
    here, there = machine("here"), machine("there")
    here.begin(MODEL, DIMENSIONS)
    there.begin(MODEL, DIMENSIONS)
    here.finish(metadata(), key_graph())
    with pytest.raises(IndexWriteFailed, match="another indexer"):
        there.finish(metadata(HASH_B), key_graph())
    assert there.metadata() == metadata()


def test_only_the_present_and_the_previous_generation_are_kept(
    machine: Machine, store: MemoryStore, tmp_path: Path
) -> None:
    writer, reader = machine("writer"), machine("reader")
    for number in range(4):
        fill(writer, table_entry(f"shop.sales.t{number}", names=["order"]))
        assert len(found(reader, "order")) == number + 1
    assert len(list(store.keys(FOLDER))) == 3
    for name in ("writer", "reader"):
        assert len(list((tmp_path / name).glob("*.db"))) <= 2


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("puts", [0, 1, 2])
def test_an_indexer_killed_while_it_publishes_leaves_the_old_index_or_the_new(
    machine: Machine, store: MemoryStore, monkeypatch: pytest.MonkeyPatch, puts: int
) -> None:
    writer, reader = machine("writer"), machine("reader")
    fill(writer, table_entry("shop.sales.old", names=["order"]))
    writer.begin(MODEL, DIMENSIONS)
    writer.replace({"new.json": [table_entry("shop.sales.new", names=["order"])]}, [])
    left = [puts]

    def dying(method: Callable[..., str]) -> Callable[..., str]:
        def call(*arguments: object, **options: object) -> str:
            if left[0] == 0:
                raise _Killed
            left[0] -= 1
            return method(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        # The store writes lines by its own put: the first is the generation, the second the pointer.
        patch.setattr(store, "put", dying(store.put))
        patch.setattr(store, "delete", lambda _: None)
        with pytest.raises(_Killed) if puts < 2 else nullcontext():
            writer.finish(metadata(HASH_B), key_graph())
    assert sorted(found(reader, "order")) == (["new", "old"] if puts == 2 else ["old"])
    again = machine("another")
    change(again, {"new.json": [table_entry("shop.sales.new", names=["order"])]})
    assert sorted(found(reader, "order")) == ["new", "old"]
    assert len(list(store.keys(FOLDER))) == 3


def test_a_generation_that_is_damaged_in_the_store_is_never_opened(machine: Machine, store: MemoryStore) -> None:
    fill(machine("writer"), table_entry(names=["order"]))
    (key,) = (key for key in store.keys(FOLDER) if key != POINTER)
    store.put(key, store.get(key).data[:-100] + b"x" * 100)
    reader = machine("reader")
    with pytest.raises(IndexNotReady, match="is damaged"):
        reader.tables(EVERYWHERE)
    assert reader.metadata() is None


def test_a_pointer_that_no_one_can_read_is_replaced_by_the_next_indexer(machine: Machine, store: MemoryStore) -> None:
    store.put(POINTER, b"garbage")
    with pytest.raises(IndexNotReady, match="no index is published"):
        machine("reader").tables(EVERYWHERE)
    fill(machine("writer"), table_entry(names=["order"]))
    assert found(machine("reader"), "order") == ["orders"]


def test_a_reader_relies_on_the_pointer_for_a_while(store: MemoryStore, tmp_path: Path, machine: Machine) -> None:
    writer = machine("writer")
    fill(writer, table_entry("shop.sales.a", names=["order"]))
    reader = PublishedSqliteIndex(store, tmp_path / "reader", check_every_seconds=3600)
    assert found(reader, "order") == ["a"]
    fill(writer, table_entry("shop.sales.b", names=["order"]))
    assert found(reader, "order") == ["a"]
    reader.close()
    assert sorted(found(reader, "order")) == ["a", "b"]


def test_a_store_that_does_not_answer_is_not_ready_and_not_empty(
    machine: Machine, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(key: str) -> None:
        raise StoreError("S3 returned SlowDown")

    monkeypatch.setattr(store, "get", refuse)
    index = machine("one")
    with pytest.raises(IndexNotReady, match="SlowDown"):
        index.tables(EVERYWHERE)
    with pytest.raises(IndexWriteFailed, match="SlowDown"):
        index.begin(MODEL, DIMENSIONS)
