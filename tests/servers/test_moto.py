"""What the stand-in for S3 promises beyond moto."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.moto import MotoServer
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.errors import PreconditionFailed

_WRITERS, _TURNS = 4, 10


@pytest.fixture
def threads_that_change_often() -> Iterator[None]:
    """Between nearly any two steps, so that what is not atomic shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("threads_that_change_often", "aws_account")
def test_of_writers_at_once_that_replace_the_same_object_one_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    with MotoServer.start() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)
        client = aws_client("s3", region="us-east-1", attempts=1)
        client.create_bucket(Bucket="counting")
        store = S3ObjectStore(client, "counting")
        store.put("counter", b"0")

        def count(_: int) -> None:
            won = 0
            while won < _TURNS:
                found = store.get("counter")
                try:
                    store.put("counter", str(int(found.data) + 1).encode(), if_match=found.etag)
                    won += 1
                except PreconditionFailed:
                    pass

        with ThreadPoolExecutor(_WRITERS) as writers:
            list(writers.map(count, range(_WRITERS)))

        assert store.get("counter").data == str(_WRITERS * _TURNS).encode()


@pytest.mark.representative
@pytest.mark.usefixtures("aws_account")
def test_every_version_of_an_object_is_kept_until_it_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    with MotoServer.start() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)
        client = aws_client("s3", region="us-east-1", attempts=1)
        client.create_bucket(Bucket="versions")
        client.put_bucket_versioning(Bucket="versions", VersioningConfiguration={"Status": "Enabled"})
        put = [client.put_object(Bucket="versions", Key="same", Body=str(n).encode())["VersionId"] for n in range(4)]
        client.delete_object(Bucket="versions", Key="same", VersionId=put[1])

        kept = [put[0], *put[2:]]
        listed = client.list_object_versions(Bucket="versions")["Versions"]
        assert sorted(each["VersionId"] for each in listed) == sorted(kept)
        bodies = [client.get_object(Bucket="versions", Key="same", VersionId=each)["Body"].read() for each in kept]
        assert bodies == [b"0", b"2", b"3"]
