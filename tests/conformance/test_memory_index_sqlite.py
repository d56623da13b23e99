"""The index of memories in one SQLite file keeps the port's contract."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conformance.memory_index import *  # noqa: F403
from tests.conformance.memory_index import OF_ADA, among, memory
from tribal.adapters.sqlite.memories import SqliteMemories
from tribal.errors import MemoryStoreFailed


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteMemories]:
    with closing(SqliteMemories(tmp_path / "data" / "memories.db")) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path) -> Iterator[SqliteMemories]:
    with closing(SqliteMemories(tmp_path / "data" / "memories.db")) as made:
        yield made


@pytest.fixture
def lose(tmp_path: Path) -> Callable[[], None]:
    return (tmp_path / "data" / "memories.db").unlink


def test_what_was_closed_is_opened_again_by_the_next_call(index: SqliteMemories) -> None:
    index.write([memory(1, "x")])
    index.close()
    assert index.count(among(OF_ADA)) == 1


def test_a_file_of_another_version_and_one_that_is_no_database_are_reported(
    index: SqliteMemories, tmp_path: Path
) -> None:
    index.write([memory(1, "x")])
    index.close()
    path = tmp_path / "data" / "memories.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(MemoryStoreFailed, match="another version; remove it"):
        index.count(among(OF_ADA))
    path.write_bytes(b"no database at all, and longer than a header of one is" * 9)
    with pytest.raises(MemoryStoreFailed, match="remove the file to rebuild it"):
        index.count(among(OF_ADA))
