"""The SQLite index keeps the port's contract, and what is its own: files of other kinds, damage, threads."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conformance.index_entries import (
    DIMENSIONS,
    EVERYWHERE,
    MODEL,
    change,
    fill,
    found,
    near,
    table_entry,
    vector,
)
from tests.conformance.search_index import *  # noqa: F403
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal_contracts import IndexMetadata

DOCUMENT_FIELDS = (
    *("id", "doc_type", "database_name", "schema_name", "table_name", "column_name", "domain", "content", "summary"),
    *("keywords", "file_path", "content_hash", "indexed_at", "source_modified_at"),
)
"""Section 5.3 of the specification."""
METADATA_FIELDS = (
    *("last_full_index", "manifest_hash", "document_count", "embedding_count", "index_version"),
    *("embedding_model", "embedding_dimensions"),
)
"""Section 5.2 of the specification."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tribal-knowledge.db"


@pytest.fixture
def index(path: Path) -> Iterator[SqliteIndex]:
    handle = SqliteIndex(path)
    yield handle
    handle.close()


@pytest.fixture
def other(path: Path) -> Iterator[SqliteIndex]:
    handle = SqliteIndex(path)
    yield handle
    handle.close()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[SqliteIndex]:
    handle = SqliteIndex(tmp_path / "elsewhere" / "index.db")
    yield handle
    handle.close()


@pytest.fixture
def traces(path: Path) -> Callable[[], list[str]]:
    return lambda: sorted(file.name for file in path.parent.iterdir()) if path.parent.exists() else []


def test_reading_makes_no_file(index: SqliteIndex, path: Path) -> None:
    assert index.metadata() is None
    assert not index.is_unfinished(MODEL)
    assert not path.parent.exists()


def test_a_finished_index_is_one_file_with_its_checksum_next_to_it(index: SqliteIndex, path: Path) -> None:
    fill(index, table_entry(names=["order"]))
    index.close()
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}-sum"]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (1,)
        assert connection.execute("SELECT document_count FROM index_metadata").fetchone() == (3,)


def test_the_tables_of_the_specification_are_there_for_readers_with_other_tools(index: SqliteIndex, path: Path) -> None:
    entry = table_entry(names=["order"])
    fill(index, entry)
    index.close()
    with sqlite3.connect(path) as connection:
        connection.row_factory = sqlite3.Row
        (document,) = connection.execute(f"SELECT {', '.join(DOCUMENT_FIELDS)} FROM documents").fetchall()
        (every,) = connection.execute("SELECT * FROM documents").fetchall()
        (metadata,) = connection.execute("SELECT * FROM index_metadata").fetchall()
    assert tuple(every.keys()) == DOCUMENT_FIELDS
    assert dict(document) == entry.record.model_dump(include=set(DOCUMENT_FIELDS))
    assert tuple(metadata.keys()) == METADATA_FIELDS
    found = index.metadata()
    assert found is not None
    assert IndexMetadata(**dict(metadata)) == found.model_copy(update={"last_read": None})


@pytest.mark.parametrize(
    "garbage",
    [b"not a database, but long enough to be mistaken for one" * 99, b"x", b""],
    ids=["text", "byte", "empty"],
)
def test_a_damaged_file_is_not_ready_for_readers_and_rebuilt_by_writers(
    index: SqliteIndex, path: Path, garbage: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(garbage)
    assert index.metadata() is None
    with pytest.raises(IndexNotReady, match="index"):
        index.tables(EVERYWHERE)
    assert not index.is_unfinished(MODEL)
    assert path.read_bytes() == garbage
    fill(index, table_entry(names=["order"]))
    assert found(index, "order") == ["orders"]


def test_a_page_damaged_in_the_middle_never_passes_for_an_answer(index: SqliteIndex, path: Path) -> None:
    fill(index, *(table_entry(f"shop.sales.t{number}", names=["order"]) for number in range(200)))
    index.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(IndexNotReady, match="`tribal index"):
        index.tables(EVERYWHERE)
    index.begin(MODEL, DIMENSIONS, from_scratch=True)
    fill(index, table_entry(names=["order"]))
    assert found(index, "order") == ["orders"]


def test_a_file_of_another_version_is_rebuilt_and_says_so_to_readers(
    index: SqliteIndex, other: SqliteIndex, path: Path
) -> None:
    fill(index, table_entry(names=["old"]))
    index.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    path.with_name(f"{path.name}-sum").unlink()
    assert index.metadata() is None
    with pytest.raises(IndexNotReady, match="another version"):
        other.tables(EVERYWHERE)
    fill(index, table_entry("shop.sales.fresh", names=["new"]))
    assert found(other, "new") == ["fresh"]
    assert found(other, "old") == []


def test_metadata_of_another_version_is_not_ready(index: SqliteIndex, path: Path) -> None:
    fill(index, table_entry(names=["old"]))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE index_metadata SET index_version = '0'")
    connection.close()
    path.with_name(f"{path.name}-sum").unlink()
    with pytest.raises(IndexNotReady, match="another version"):
        index.tables(EVERYWHERE)


@pytest.mark.parametrize("write", ["copied", "from_scratch"])
def test_the_database_of_someone_else_is_never_thrown_away(index: SqliteIndex, path: Path, write: str) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (value TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(IndexWriteFailed, match="another database"):
        index.begin(MODEL, DIMENSIONS, from_scratch=write == "from_scratch")
    assert path.read_bytes() == before
    with pytest.raises(IndexNotReady, match="another database"):
        index.tables(EVERYWHERE)


def test_a_place_that_cannot_be_written_is_a_clear_refusal(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = SqliteIndex(tmp_path / "file" / "index.db")
    with pytest.raises(IndexWriteFailed, match="cannot write to the index"):
        index.begin(MODEL, DIMENSIONS)
    with pytest.raises(IndexNotReady):
        index.tables(EVERYWHERE)


def test_a_full_disk_is_a_clear_refusal_and_the_old_index_still_answers(index: SqliteIndex, path: Path) -> None:
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    fill(index, table_entry(names=["order"]))
    index.close()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, limits[1]))
        with pytest.raises(IndexWriteFailed, match="cannot write to the index"):
            fill(index, *(table_entry(f"shop.sales.t{number}", body=["word"] * 500) for number in range(300)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert found(index, "order") == ["orders"]
    assert len(index.tables(EVERYWHERE)) == 1


def test_an_index_that_was_removed_under_a_reader_is_not_ready_again(
    index: SqliteIndex, other: SqliteIndex, path: Path
) -> None:
    fill(index, table_entry(names=["order"]))
    index.close()
    assert found(other, "order") == ["orders"]
    for file in path.parent.iterdir():
        file.unlink()
    assert other.metadata() is None
    fill(index, table_entry("shop.sales.fresh", names=["new"], near=vector(1)))
    assert found(other, "new") == ["fresh"]
    assert near(other, 1) == ["fresh"]


def test_many_threads_may_read_while_one_writes(index: SqliteIndex) -> None:
    fill(index, table_entry("shop.sales.kept", names=["order"], near=vector(1)))

    def read(_: int) -> set[str]:
        tables = {entry.table for entry in index.tables(EVERYWHERE)}
        assert "kept" in found(index, "order")
        assert "kept" in near(index, 1)
        return tables

    with ThreadPoolExecutor(8) as pool:
        reads = pool.map(read, range(60))
        for number in range(20):
            fill(index, table_entry(f"shop.sales.t{number}", names=["order"], near=vector(1)))
        seen = list(reads)
    assert all("kept" in tables for tables in seen)
    assert len(index.tables(EVERYWHERE)) == 21


def test_two_pieces_of_one_answer_never_mix_two_states(index: SqliteIndex, other: SqliteIndex) -> None:
    fill(index, table_entry(names=["a"], near=vector(1)))
    assert near(other, 1) == ["orders"]
    change(index, {}, str(table_entry().record.source_path))
    assert near(other, 1) == []
    assert other.tables(EVERYWHERE) == []
