"""The S3 store keeps the port's contract on moto's S3, by way of the real client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from moto import mock_aws

from tests.conformance.object_store import *  # noqa: F403
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.errors import ObjectNotFound, PreconditionFailed, StoreError, StoreUnwritable
from tribal.identity.hashing import bytes_hash

BUCKET = "a-company-knowledge"


@pytest.fixture
def client(aws_account: None) -> Iterator[Any]:
    with mock_aws():
        s3 = aws_client("s3", region="eu-central-1", attempts=2)
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        _put_one_at_a_time(s3)
        yield s3


def _put_one_at_a_time(client: Any) -> None:
    """Let conditional puts be decided one by one, as S3 does: moto looks and writes without a lock in between."""
    put, lock = client.put_object, threading.Lock()

    def put_alone(**asked: Any) -> Any:
        with lock:
            return put(**asked)

    client.put_object = put_alone


@pytest.fixture(params=["", "teams/data"])
def store(request: pytest.FixtureRequest, client: Any) -> S3ObjectStore:
    return S3ObjectStore(client, BUCKET, request.param, pause=lambda _: None)


class _Raw:
    """The body of an answer, as botocore reads it."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self._data


def _answer(status: int, code: str) -> AWSResponse:
    body = f"<Error><Code>{code}</Code><Message>said on the wire</Message></Error>".encode()
    return AWSResponse("https://s3", status, {"Content-Type": "application/xml"}, _Raw(body))


def _answers(client: Any, operation: str, *answers: AWSResponse | Callable[[Any], AWSResponse]) -> None:
    """Let the wire give these answers to the next requests of a kind; later ones reach the bucket."""
    waiting = list(answers)

    def before_send(request: Any, **_: object) -> AWSResponse | None:
        if not waiting:
            return None
        answer = waiting.pop(0)
        return answer if isinstance(answer, AWSResponse) else answer(request)

    client.meta.events.register_first(f"before-send.s3.{operation}", before_send)


def test_a_prefix_keeps_two_stores_of_a_bucket_apart(client: Any) -> None:
    one, two = S3ObjectStore(client, BUCKET, "one/"), S3ObjectStore(client, BUCKET, "on")
    one.put("a", b"1")
    assert list(two.keys()) == []
    assert two.head("e/a") is None
    assert client.get_object(Bucket=BUCKET, Key="one/a")["Body"].read() == b"1"
    assert one.location == f"s3://{BUCKET}/one/"


def test_keys_beyond_one_page_are_all_listed_in_order(store: S3ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "10")
    keys = [f"many/{number:05}" for number in range(25)]
    for key in keys:
        store.put(key, b"")
    assert list(store.keys("many/")) == keys


def test_what_someone_put_there_by_other_means_is_read_but_no_folder_marks(client: Any) -> None:
    store = S3ObjectStore(client, BUCKET)
    client.put_object(Bucket=BUCKET, Key="config/databases.yaml", Body=b"databases: []\n")
    client.put_object(Bucket=BUCKET, Key="config/", Body=b"")
    client.put_object(Bucket=BUCKET, Key=".hidden", Body=b"")
    assert list(store.keys()) == ["config/databases.yaml"]
    head = store.head("config/databases.yaml")
    assert head is not None
    assert head.content_hash == bytes_hash(b"databases: []\n")


def test_a_key_that_is_too_long_with_its_prefix_is_unwritable_and_simply_not_there(client: Any, tmp_path: Path) -> None:
    store = S3ObjectStore(client, BUCKET, "p" * 100)
    key = "k" * 1000
    with pytest.raises(StoreUnwritable, match="shorter prefix"):
        store.put(key, b"")
    with pytest.raises(StoreUnwritable, match="shorter prefix"):
        store.put_lines(key, [b""])
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StoreUnwritable, match="shorter prefix"):
        store.put_file(key, tmp_path / "a")
    with pytest.raises(ObjectNotFound):
        store.get(key)
    assert store.head(key) is None
    assert S3ObjectStore(client, BUCKET).put("k" * 1024, b"")


def test_erasing_leaves_no_version_and_deleting_leaves_them(client: Any, store: S3ObjectStore) -> None:
    for key in ("gone", "gone.json", "deleted"):
        store.put(key, b"one")
        store.put(key, b"two")
        store.delete(key)
    store.put("gone", b"three")
    store.erase("gone")
    found = client.list_object_versions(Bucket=BUCKET)
    left = [each["Key"] for each in (*found["Versions"], *found["DeleteMarkers"])]
    prefix = store._prefix
    assert sorted(left) == sorted([f"{prefix}gone.json", f"{prefix}deleted"] * 3)


def test_a_version_that_may_not_be_erased_is_an_error(client: Any, store: S3ObjectStore) -> None:
    store.put("a", b"1")
    body = b"<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>"
    _answers(client, "DeleteObjects", AWSResponse("https://s3", 200, {"Content-Type": "application/xml"}, _Raw(body)))
    with pytest.raises(StoreUnwritable, match="s3:DeleteObjectVersion"):
        store.erase("a")


def test_an_object_is_erased_in_a_bucket_without_versions(client: Any) -> None:
    client.create_bucket(Bucket="plain-bucket", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    store = S3ObjectStore(client, "plain-bucket")
    store.put("a", b"1")
    store.erase("a")
    assert list(store.keys()) == []


def test_a_file_that_is_sent_twice_is_sent_from_its_beginning(
    client: Any, store: S3ObjectStore, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF" + bytes(1 << 20))
    _answers(client, "PutObject", _answer(503, "SlowDown"))
    store.put_file("a.pdf", tmp_path / "a.pdf")
    assert store.get("a.pdf").data == (tmp_path / "a.pdf").read_bytes()


def test_a_conflict_of_two_puts_is_decided_by_asking_again(client: Any, store: S3ObjectStore) -> None:
    _answers(client, "PutObject", _answer(409, "ConditionalRequestConflict"))
    etag = store.put("lease", b"mine", if_absent=True)
    _answers(client, "PutObject", _answer(409, "ConditionalRequestConflict"))
    with pytest.raises(PreconditionFailed):
        store.put("lease", b"theirs", if_absent=True)
    assert store.get("lease").etag == etag


def test_a_conflict_that_does_not_end_is_no_refusal(client: Any, store: S3ObjectStore) -> None:
    _answers(client, "PutObject", *[_answer(409, "ConditionalRequestConflict")] * 6)
    with pytest.raises(StoreUnwritable, match="ConditionalRequestConflict"):
        store.put("lease", b"mine", if_absent=True)


def test_a_put_whose_answer_was_lost_knows_its_own_object(client: Any, store: S3ObjectStore) -> None:
    sent: list[Any] = []

    def write_and_lose(request: Any) -> AWSResponse:
        sent.append(request)
        twin = aws_client("s3", region="eu-central-1")
        twin.put_object(
            Bucket=BUCKET,
            Key=f"{store._prefix}lease",
            Body=b"mine",
            Metadata={"writer": request.headers["x-amz-meta-writer"].decode()},
        )
        return _answer(500, "InternalError")

    _answers(client, "PutObject", write_and_lose)
    etag = store.put("lease", b"mine", if_absent=True)
    assert len(sent) == 1
    assert store.get("lease").etag == etag


def test_the_same_bytes_of_someone_else_are_not_taken_for_ones_own(client: Any, store: S3ObjectStore) -> None:
    store.put("lease", b"same")
    _answers(client, "PutObject", _answer(500, "InternalError"))
    with pytest.raises(PreconditionFailed):
        store.put("lease", b"same", if_absent=True)


@pytest.mark.parametrize("code", ["SlowDown", "InternalError", "ServiceUnavailable"])
def test_a_busy_service_is_asked_again_and_then_reported_as_retryable(
    client: Any, store: S3ObjectStore, code: str
) -> None:
    store.put("a", b"1")
    _answers(client, "GetObject", _answer(503, code))
    assert store.get("a").data == b"1"
    _answers(client, "GetObject", *[_answer(503, code)] * 2)
    with pytest.raises(StoreError, match=code) as caught:
        store.get("a")
    assert not isinstance(caught.value, ObjectNotFound)
    assert caught.value.retryable


def test_a_denied_request_names_the_permission(client: Any, store: S3ObjectStore) -> None:
    _answers(client, "PutObject", _answer(403, "AccessDenied"))
    with pytest.raises(StoreUnwritable, match="s3:PutObject"):
        store.put("a", b"1")
    _answers(client, "GetObject", _answer(403, "AccessDenied"))
    with pytest.raises(StoreError, match="s3:GetObject"):
        store.get("a")
    _answers(client, "ListObjectsV2", _answer(403, "AccessDenied"))
    with pytest.raises(StoreError, match="s3:ListBucket"):
        list(store.keys())


def test_a_missing_bucket_is_named(client: Any) -> None:
    store = S3ObjectStore(client, "no-such-bucket")
    with pytest.raises(StoreError, match="no bucket 'no-such-bucket'"):
        store.get("a")
    with pytest.raises(StoreUnwritable, match="no bucket"):
        store.put("a", b"")
    with pytest.raises(StoreError, match="no bucket"):
        list(store.keys())


def test_an_address_where_no_one_listens_is_a_store_error(aws_account: None) -> None:
    client = aws_client("s3", region="eu-central-1", endpoint="http://127.0.0.1:9", attempts=1)
    with pytest.raises(StoreUnwritable, match="check the network"):
        S3ObjectStore(client, BUCKET).put("a", b"")
