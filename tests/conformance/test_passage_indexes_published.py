"""Passages published in a folder and in S3 keep the port's contract; and what is their own: damage, races, versions."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from moto import mock_aws

from tests.cases import each_case
from tests.conformance.passage_indexes import *  # noqa: F403
from tests.conformance.passage_indexes import ONE, PASSAGES, TWO, nearest, passage, publish
from tests.fakes import MemoryStore
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.sqlite.passages.published import PublishedPassages
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.ports import ObjectStore
from tribal_contracts.chat.collections import PassageIndexPointer

BUCKET = "a-company-knowledge"
FOLDER = "collections/handbook/index/"
POINTER = f"{FOLDER}current.json"


@pytest.fixture(params=["folder", "S3"])
def store(request: pytest.FixtureRequest, tmp_path: Path, aws_account: None) -> Iterator[ObjectStore]:
    if request.param == "folder":
        yield FolderStore(tmp_path / "store")
        return
    with mock_aws():
        client = aws_client("s3", region="eu-central-1")
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield S3ObjectStore(client, BUCKET, "team")


@pytest.fixture
def indexes(store: ObjectStore, tmp_path: Path) -> PublishedPassages:
    return PublishedPassages(store, tmp_path / "one", check_every_seconds=0)


@pytest.fixture
def elsewhere(store: ObjectStore, tmp_path: Path) -> PublishedPassages:
    return PublishedPassages(store, tmp_path / "two", check_every_seconds=0)


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_one_generation_is_in_the_store_and_one_on_each_disk(
    store: ObjectStore, indexes: PublishedPassages, elsewhere: PublishedPassages, tmp_path: Path
) -> None:
    publish(indexes)
    nearest(elsewhere, (1, 0, 0))
    pointer = publish(indexes, PASSAGES[:2])
    nearest(indexes, (1, 0, 0))
    nearest(elsewhere, (1, 0, 0))
    assert sorted(store.keys(FOLDER)) == sorted([POINTER, f"{FOLDER}{pointer.content_hash}.db"])
    for machine in ("one", "two"):
        assert _files(tmp_path / machine) == [f"{pointer.content_hash}.db"]


def test_no_version_of_a_generation_with_a_removed_file_is_left(store: ObjectStore, indexes: PublishedPassages) -> None:
    publish(indexes)
    publish(indexes, PASSAGES[2:])
    if isinstance(store, S3ObjectStore):
        found: Any = store._client.list_object_versions(Bucket=BUCKET, Prefix="team/collections/handbook/index/")
        listed = [each["Key"] for each in (*found["Versions"], *found.get("DeleteMarkers", ()))]
        assert len({key for key in listed if key.endswith(".db")}) == 1


def test_a_file_that_is_damaged_in_the_store_is_not_read_and_not_fetched_for_every_question(
    store: ObjectStore, indexes: PublishedPassages, tmp_path: Path
) -> None:
    pointer = publish(indexes)
    key = f"{FOLDER}{pointer.content_hash}.db"
    store.put(key, store.get(key).data[:-1] + b"!")
    reader = PublishedPassages(store, tmp_path / "three")
    for _ in range(2):
        with pytest.raises(IndexNotReady, match=r"\.db' is damaged; `tribal index`"):
            reader.current("handbook")
        store.delete(key)
    assert _files(tmp_path / "three") == []
    publish(indexes)
    reader.close()
    assert len(nearest(reader, (1, 0, 0))) == 4


def test_a_missing_file_is_not_an_empty_collection(store: ObjectStore, elsewhere: PublishedPassages) -> None:
    pointer = publish(elsewhere)
    elsewhere.close()
    shutil.rmtree(elsewhere._folder)
    store.delete(f"{FOLDER}{pointer.content_hash}.db")
    with pytest.raises(IndexNotReady, match="is missing; `tribal index` rebuilds it"):
        elsewhere.current("handbook")
    publish(elsewhere)
    assert len(nearest(elsewhere, (1, 0, 0))) == 4


def test_a_file_that_is_damaged_on_the_disk_is_fetched_again(indexes: PublishedPassages, tmp_path: Path) -> None:
    many = [(ONE, passage(number, f"number {number}")) for number in range(500)]
    pointer = publish(indexes, many)
    path = tmp_path / "one" / "handbook" / f"{pointer.content_hash}.db"
    data = bytearray(path.read_bytes())
    data[8_192:-4_096] = bytes(len(data) - 12_288)
    path.write_bytes(bytes(data))
    with pytest.raises(IndexNotReady, match="cannot be read"):
        nearest(indexes, (1, 0, 0))

    assert len(nearest(indexes, (1, 0, 0))) == 5


@each_case("pointer", [b"", b"{}", b'{"schema_version": "1.0"}'])
def test_a_damaged_pointer_is_not_an_empty_collection_and_the_next_generation_replaces_it(
    store: ObjectStore, indexes: PublishedPassages, pointer: bytes
) -> None:
    publish(indexes)
    store.put(POINTER, pointer)
    with pytest.raises(IndexNotReady, match=r"current\.json' is damaged"):
        indexes.current("handbook")
    publish(indexes)
    assert len(nearest(indexes, (1, 0, 0))) == 4


def test_the_file_of_another_version_is_not_read(
    store: ObjectStore, indexes: PublishedPassages, tmp_path: Path
) -> None:
    pointer = publish(indexes)
    path = tmp_path / "changed.db"
    store.get_file(f"{FOLDER}{pointer.content_hash}.db", path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    store.put_file(f"{FOLDER}{digest}.db", path)
    changed = pointer.model_copy(update={"content_hash": digest, "size_bytes": path.stat().st_size})
    store.put(POINTER, changed.to_json())
    with pytest.raises(IndexNotReady, match="another version of this program"):
        indexes.current("handbook")


class _Overtaken(MemoryStore):
    """A store in which another process publishes while a file is sent."""

    def __init__(self, publish: Callable[[ObjectStore], object]) -> None:
        super().__init__()
        self._publish = publish

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        publish, self._publish = self._publish, lambda _: None
        publish(self)
        return super().put_file(key, path, if_absent=if_absent)


def test_of_two_that_publish_at_once_one_is_refused(tmp_path: Path) -> None:
    store = _Overtaken(lambda store: publish(PublishedPassages(store, tmp_path / "other"), PASSAGES[:1]))
    with pytest.raises(IndexWriteFailed, match="another process has published"):
        publish(PublishedPassages(store, tmp_path / "one"))
    assert PassageIndexPointer.from_json(store.get(POINTER).data).passages == 1


class _Replaced(MemoryStore):
    """A store in which another process publishes between a reader's pointer and its file."""

    def __init__(self) -> None:
        super().__init__()
        self.before_fetching: Callable[[], object] = lambda: None

    def get_file(self, key: str, path: Path) -> str:
        before, self.before_fetching = self.before_fetching, lambda: None
        before()
        return super().get_file(key, path)


def test_a_reader_that_misses_its_generation_reads_the_next_one(tmp_path: Path) -> None:
    store = _Replaced()
    writer = PublishedPassages(store, tmp_path / "one")
    publish(writer)
    store.before_fetching = lambda: publish(writer, PASSAGES[2:])
    assert [each.source_id for each in nearest(PublishedPassages(store, tmp_path / "two"), (0, 0, 1), limit=1)] == [TWO]


def test_the_pointer_is_read_every_few_seconds_only(tmp_path: Path) -> None:
    store = MemoryStore()
    writer, reader = (PublishedPassages(store, tmp_path / name) for name in ("one", "two"))
    publish(writer)
    assert len(nearest(reader, (1, 0, 0))) == 4
    publish(writer, [])
    assert len(nearest(reader, (1, 0, 0))) == 4
    assert nearest(writer, (1, 0, 0)) == []


def test_many_threads_read_one_generation(indexes: PublishedPassages) -> None:
    publish(indexes)
    found: list[int] = []

    def read() -> None:
        found.extend(len(nearest(indexes, (1, 0, 0))) for _ in range(20))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [4] * 160
