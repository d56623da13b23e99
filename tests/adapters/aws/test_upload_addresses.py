"""An address takes the one file that it was made for."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import requests
from moto import mock_aws

from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.aws.upload_addresses import UploadAddresses

BUCKET, KEY = "a-company-knowledge", "collections/handbook/uploads/1"
DATA = "Größe 💡".encode()
HASH = hashlib.sha256(DATA).hexdigest()
NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


@pytest.fixture
def client(aws_account: None) -> Iterator[Any]:
    with mock_aws():
        s3 = aws_client("s3", region="eu-central-1")
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        yield s3


def test_a_file_sent_to_it_is_in_the_store(client: Any) -> None:
    made = UploadAddresses(client, BUCKET, "tribal", now=lambda: NOW).address(KEY, len(DATA), HASH)
    answer = requests.post(made.url, data=made.fields, files={"file": ("a.pdf", DATA)}, timeout=10)
    assert answer.status_code == 204, answer.text
    assert S3ObjectStore(client, BUCKET, "tribal").get(KEY).data == DATA


def test_it_is_bound_to_key_size_hash_and_15_minutes(client: Any) -> None:
    made = UploadAddresses(client, BUCKET, now=lambda: NOW).address(KEY, len(DATA), HASH)
    assert made.url == f"https://{BUCKET}.s3.eu-central-1.amazonaws.com/"
    assert made.expires_at == "2026-11-28T12:15:00Z"
    policy = json.loads(base64.b64decode(made.fields["policy"]))
    left = datetime.fromisoformat(policy["expiration"]) - datetime.now(UTC)
    assert 800 < left.total_seconds() <= 900
    conditions = policy["conditions"]
    assert ["content-length-range", len(DATA), len(DATA)] in conditions
    named = {name: value for each in conditions if isinstance(each, dict) for name, value in each.items()}
    assert (named["bucket"], named["key"]) == (BUCKET, KEY)
    assert base64.b64decode(named["x-amz-checksum-sha256"]).hex() == HASH
    # A field that no condition names would be free for the sender to choose.
    signed = {"policy", "x-amz-signature"}
    assert {name.lower() for name in made.fields} - {name.lower() for name in (*named, *signed)} == set()
