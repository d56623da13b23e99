"""A large new generation is read only once it has been prepared; until then readers get the one before, at once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Hashable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.edges.mcp.asked import index_project
from tests.sample_shop.indexed import shop_tables
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.adapters.sqlite import index as module
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import IndexNotReady
from tribal.identity.locations import INDEX_FILE
from tribal.ports import IndexFilter

EVERYWHERE = IndexFilter()


class Prepared:
    """An index whose preparation waits until it may go on."""

    def __init__(self, path: Path) -> None:
        self.may_go_on, self.began = threading.Event(), threading.Event()
        self.seen: list[set[str]] = []
        self.replaced: list[Hashable] = []
        self.index = SqliteIndex(path, prepare=self._prepare, replaced=self.replaced.append)

    def _prepare(self) -> None:
        self.seen.append(self.databases())
        self.began.set()
        assert self.may_go_on.wait(LONGEST_SECONDS)
        self.seen.append(self.databases())

    def databases(self) -> set[str]:
        """What is read at this moment."""
        return {table.database for table in self.index.tables(EVERYWHERE)}


@pytest.fixture(name="prepared")
def prepared_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepared]:
    monkeypatch.setattr(module, "PREPARED_BYTES", 0)
    index_project(tmp_path)
    prepared = Prepared(tmp_path / INDEX_FILE)
    yield prepared
    prepared.may_go_on.set()
    prepared.index.close()


def publish_web(folder: Path) -> None:
    index_project(folder, [table for table in shop_tables() if table.database == "web"])


def test_readers_are_answered_from_the_generation_before_until_the_next_is_prepared(
    prepared: Prepared, tmp_path: Path
) -> None:
    assert prepared.databases() == {"shop", "web"}
    before = prepared.index.generation()
    publish_web(tmp_path)
    assert prepared.databases() == {"shop", "web"}
    assert prepared.began.wait(LONGEST_SECONDS)
    assert (prepared.databases(), prepared.index.generation()) == ({"shop", "web"}, before)
    prepared.may_go_on.set()
    while prepared.databases() != {"web"}:
        pass
    assert prepared.index.generation() != before
    assert prepared.seen == [{"web"}, {"web"}]
    # What was derived from it may go once no one is sent there.
    wait_until(lambda: prepared.replaced == [before])


def test_readers_wait_their_turn_for_the_generation_before_instead_of_reading_the_next_unprepared(
    prepared: Prepared, tmp_path: Path
) -> None:
    prepared.databases()
    before, answered = prepared.index.generation(), threading.Event()

    def ask() -> None:
        assert prepared.index.generation() == before
        answered.set()

    with prepared.index.reading():
        prepared.databases()
        publish_web(tmp_path)
        asking = threading.Thread(target=ask)
        asking.start()
        assert prepared.began.wait(LONGEST_SECONDS)
        assert not answered.wait(timeout=0.2)
    assert answered.wait(LONGEST_SECONDS)
    asking.join()


def tear(*_: object) -> None:
    raise sqlite3.DatabaseError("torn")


@pytest.mark.parametrize("fails", [False, True])
def test_what_was_replaced_is_reported_only_once_its_last_reader_has_ended(
    prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    def wait_for_the_next() -> None:
        while prepared.databases() != {"web"}:
            pass

    prepared.may_go_on.set()
    # So that there are two connections: the one that others get is not opened once the file has been replaced.
    with prepared.index.reading():
        prepared.databases()
        opening = threading.Thread(target=prepared.databases)
        opening.start()
        opening.join()
    with prepared.index.reading():
        before = prepared.index.generation()
        publish_web(tmp_path)
        others = threading.Thread(target=wait_for_the_next)
        others.start()
        others.join()
        assert (prepared.index.generation(), prepared.replaced) == (before, [])
        if fails:
            monkeypatch.setattr(module, "read_records", tear)
            with pytest.raises(IndexNotReady, match="torn"):
                prepared.index.records([1])
    assert prepared.replaced == [before]


def test_what_is_published_during_a_preparation_is_prepared_next(prepared: Prepared, tmp_path: Path) -> None:
    prepared.databases()
    publish_web(tmp_path)
    prepared.databases()
    assert prepared.began.wait(LONGEST_SECONDS)
    index_project(tmp_path)
    prepared.may_go_on.set()
    while len(prepared.seen) < 4:
        prepared.databases()
    prepared.index.close()
    assert prepared.databases() == {"shop", "web"}


def test_a_damaged_generation_is_told_to_anyone_who_asks(prepared: Prepared, tmp_path: Path) -> None:
    prepared.databases()
    path = tmp_path / INDEX_FILE
    other = tmp_path / "other"
    other.write_bytes(b"no index at all" * 1000)
    other.replace(path)
    with suppress(IndexNotReady):
        while prepared.databases():
            pass
    with pytest.raises(IndexNotReady):
        prepared.databases()
    path.unlink()
    with pytest.raises(IndexNotReady):
        prepared.databases()


def test_a_small_index_is_read_at_once(prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PREPARED_BYTES", 10**9)
    prepared.databases()
    publish_web(tmp_path)
    assert prepared.databases() == {"web"}
    assert prepared.seen == []
