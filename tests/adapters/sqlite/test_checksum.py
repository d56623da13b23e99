"""The checksum next to the index: a damaged index is never read, and a run rebuilds it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.conformance.index_entries import DIMENSIONS, EVERYWHERE, MODEL, fill, found, table_entry
from tribal.adapters.sqlite import checksum
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import IndexNotReady


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tribal-knowledge.db"


@pytest.fixture
def index(path: Path) -> SqliteIndex:
    made = SqliteIndex(path)
    fill(made, table_entry(names=["order"]))
    made.close()
    return made


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def in_a_text(path: Path) -> int:
    return path.read_bytes().index(b"orders")


@pytest.mark.parametrize("place", [in_a_text, lambda _: 70, lambda path: path.stat().st_size - 1])
def test_one_bit_is_enough_to_refuse_a_question(index: SqliteIndex, path: Path, place: Callable[[Path], int]) -> None:
    flip(path, place(path))
    with pytest.raises(IndexNotReady, match="is damaged; `tribal index` or `tribal run` rebuilds it"):
        index.tables(EVERYWHERE)
    assert index.metadata() is None
    assert not index.is_intact()
    assert index.begin(MODEL, DIMENSIONS) == {}


def test_an_index_that_no_one_touched_is_not_hashed_to_answer(index: SqliteIndex, path: Path) -> None:
    noted = path.with_name(f"{path.name}-sum")
    noted.write_text(noted.read_text().replace('"sha256": "', '"sha256": "0'))
    assert found(index, "order") == ["orders"]
    assert not index.is_intact()


def test_a_copied_index_answers_and_a_run_notes_how_the_copy_looks(
    index: SqliteIndex, path: Path, tmp_path: Path
) -> None:
    copied = tmp_path / "elsewhere" / path.name
    shutil.copytree(path.parent, copied.parent)
    index, noted = SqliteIndex(copied), copied.with_name(f"{path.name}-sum")
    before = noted.read_bytes()
    assert found(index, "order") == ["orders"]
    assert noted.read_bytes() == before
    assert index.is_intact()
    assert noted.read_bytes() != before


@pytest.mark.parametrize("noted", [None, b"", b"[]", b'{"published": [{}]}', b'{"published": 7}'])
def test_where_no_checksum_is_noted_sqlite_is_asked_and_it_is_noted_again(
    index: SqliteIndex, path: Path, noted: bytes | None
) -> None:
    beside = path.with_name(f"{path.name}-sum")
    beside.unlink()
    if noted is not None:
        beside.write_bytes(noted)
    assert found(index, "order") == ["orders"]
    assert index.is_intact()
    flip(path, in_a_text(path))
    with pytest.raises(IndexNotReady):
        index.tables(EVERYWHERE)


def test_what_sqlite_does_not_notice_and_we_cannot_read_is_damage_too(index: SqliteIndex, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE origins SET indexed_at = 'then'")
    path.with_name(f"{path.name}-sum").unlink()
    record = index.tables(EVERYWHERE)[0].record_id
    with pytest.raises(IndexNotReady, match="is damaged"):
        index.records([record])


def test_a_run_that_was_killed_between_the_checksum_and_the_file_leaves_both_readable(
    index: SqliteIndex, path: Path, tmp_path: Path
) -> None:
    coming = tmp_path / "coming.db"
    other = SqliteIndex(coming)
    fill(other, table_entry("shop.sales.fresh", names=["new"]))
    other.close()
    checksum.announce(path, coming)
    assert found(SqliteIndex(path), "order") == ["orders"]
    coming.replace(path)
    assert found(SqliteIndex(path), "new") == ["fresh"]
    assert index.is_intact()


def test_a_damaged_half_of_a_killed_run_is_not_resumed(index: SqliteIndex, path: Path) -> None:
    index.begin(MODEL, DIMENSIONS)
    index.close()
    half = path.with_name(f"{path.name}-next")
    data = half.read_bytes()
    half.write_bytes(data[:-4096] + b"\xff" * 4096)
    assert index.is_unfinished(MODEL)
    index.begin(MODEL, DIMENSIONS)
    index.close()
    with closing(sqlite3.connect(half)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    index.begin(MODEL, DIMENSIONS)
    fill(index, table_entry(names=["order"]))
    assert found(index, "order") == ["orders"]


def test_our_own_file_without_its_header_is_rebuilt(index: SqliteIndex, path: Path) -> None:
    flip(path, 68)
    index.begin(MODEL, DIMENSIONS, from_scratch=True)
    fill(index, table_entry(names=["order"]))
    assert found(index, "order") == ["orders"]


def test_an_empty_folder_in_the_place_of_the_index_is_replaced(index: SqliteIndex, path: Path) -> None:
    path.unlink()
    path.mkdir()
    fill(index, table_entry(names=["order"]))
    assert found(index, "order") == ["orders"]


def test_a_link_to_itself_in_the_place_of_the_index_is_a_clear_error_and_is_replaced(
    index: SqliteIndex, path: Path
) -> None:
    path.unlink()
    path.symlink_to(path.name)
    with pytest.raises(IndexNotReady, match="`tribal index` rebuilds it"):
        index.tables(EVERYWHERE)
    fill(index, table_entry(names=["order"]))
    assert found(index, "order") == ["orders"]
