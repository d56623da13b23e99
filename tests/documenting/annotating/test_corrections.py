"""A correction is proposed, looked at and written, in a folder and in S3 alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from moto import mock_aws

from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.local.folder import FolderStore
from tribal.documenting.corrections import Subject, propose, written_texts
from tribal.errors import ConfigurationError, CorrectionOutdated
from tribal.ports import ObjectStore
from tribal.store.annotations import read_annotations

KEY = "annotations/shop.yaml"
ORDERS = Subject(("public", "orders"))


@pytest.fixture(name="store", params=["folder", "s3"])
def store_fixture(request: pytest.FixtureRequest, tmp_path: Path, aws_account: None) -> Iterator[ObjectStore]:
    if request.param == "folder":
        yield FolderStore(tmp_path)
        return
    with mock_aws():
        client = aws_client("s3", region="eu-central-1", attempts=2)
        client.create_bucket(
            Bucket="a-company-knowledge", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        yield S3ObjectStore(client, "a-company-knowledge", "", pause=lambda _: None)


def test_what_was_agreed_to_is_written_and_the_next_run_reads_it(store: ObjectStore) -> None:
    first = propose(store, "shop", ORDERS, "One a basket.")
    assert first.difference(3).splitlines()[-1] == "+    description: One a basket."
    assert written_texts(store, "shop")(ORDERS) is None
    first.write(store)
    assert written_texts(store, "shop")(ORDERS) == "One a basket."
    second = propose(store, "shop", ORDERS, "One order a basket.")
    second.write(store)
    assert read_annotations(store, "shop")["public", "orders"].description == "One order a basket."


def test_of_two_who_correct_at_once_one_looks_again(store: ObjectStore) -> None:
    mine, yours = (propose(store, "shop", ORDERS, words) for words in ("Mine.", "Yours."))
    mine.write(store)
    with pytest.raises(CorrectionOutdated, match=r"annotations/shop\.yaml was changed"):
        yours.write(store)
    later, latest = (propose(store, "shop", ORDERS, words) for words in ("Later.", "Latest."))
    later.write(store)
    with pytest.raises(CorrectionOutdated):
        latest.write(store)
    assert written_texts(store, "shop")(ORDERS) == "Later."


def test_a_broken_file_is_reported_with_its_line_and_stays(store: ObjectStore) -> None:
    store.put(KEY, b"tables:\n  public.orders: [\n")
    with pytest.raises(ConfigurationError, match="line 3"):
        propose(store, "shop", ORDERS, "x")
    assert store.get(KEY).data == b"tables:\n  public.orders: [\n"


def test_the_fingerprint_is_of_exactly_one_change(store: ObjectStore) -> None:
    first = propose(store, "shop", ORDERS, "One.")
    assert first.fingerprint == propose(store, "shop", ORDERS, "One.").fingerprint
    assert first.fingerprint != propose(store, "shop", ORDERS, "Two.").fingerprint
    store.put(KEY, b"description: The shop.\n")
    assert first.fingerprint != propose(store, "shop", ORDERS, "One.").fingerprint
