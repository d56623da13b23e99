"""Before a stack is deleted, its buckets are emptied; those of an environment that keeps its data are not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.emptying import DataRetained, empty_environment

REGION = "eu-central-1"


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, "testing")
    with mock_aws():
        yield {name: boto3.client(name, region_name=REGION) for name in ("cloudformation", "s3")}


def deploy(name: str, clients: dict[str, Any]) -> str:
    """A stack with one bucket with versions, an object in two versions and a deleted one."""
    template = (
        '{"Resources": {"Store": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "store", '
        '"VersioningConfiguration": {"Status": "Enabled"}}}}}'
    )
    clients["cloudformation"].create_stack(StackName=f"tribal-knowledge-{name}", TemplateBody=template)
    # The stack asks for it, but moto's CloudFormation forgets.
    clients["s3"].put_bucket_versioning(Bucket="store", VersioningConfiguration={"Status": "Enabled"})
    for body in (b"1", b"2"):
        clients["s3"].put_object(Bucket="store", Key="docs/a.json", Body=body)
    clients["s3"].put_object(Bucket="store", Key="docs/b.json", Body=b"1")
    clients["s3"].delete_object(Bucket="store", Key="docs/b.json")
    return "store"


def test_every_version_and_every_mark_of_deletion_goes(clients: dict[str, Any]) -> None:
    bucket = deploy("dev", clients)
    assert empty_environment("dev", **clients) == {bucket: 4}
    left = clients["s3"].list_object_versions(Bucket=bucket)
    assert "Versions" not in left
    assert "DeleteMarkers" not in left


def test_access_logs_that_arrive_later_are_refused_and_other_rules_stay(clients: dict[str, Any]) -> None:
    bucket = deploy("dev", clients)
    grant = {
        "Effect": "Allow",
        "Principal": {"Service": "logging.s3.amazonaws.com"},
        "Action": "s3:PutObject",
        "Resource": f"arn:aws:s3:::{bucket}/store/*",
    }
    clients["s3"].put_bucket_policy(Bucket=bucket, Policy=json.dumps({"Version": "2012-10-17", "Statement": [grant]}))
    for _ in range(2):
        empty_environment("dev", **clients)
    statements = json.loads(clients["s3"].get_bucket_policy(Bucket=bucket)["Policy"])["Statement"]
    assert statements[0] == grant
    assert statements[1:] == [
        grant | {"Sid": "NoMoreAccessLogs", "Effect": "Deny", "Resource": f"arn:aws:s3:::{bucket}/*"}
    ]


def test_an_environment_that_keeps_its_data_is_left_alone(clients: dict[str, Any]) -> None:
    bucket = deploy("prod", clients)
    with pytest.raises(DataRetained, match="removal: retain"):
        empty_environment("prod", **clients)
    assert len(clients["s3"].list_object_versions(Bucket=bucket)["Versions"]) == 3
