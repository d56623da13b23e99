"""Empties the buckets of an environment, so that its stack can be deleted: `python -m infra.emptying dev`."""

from __future__ import annotations

import json
import sys
from typing import Any

from infra.environment import load_environment

_REFUSED = "NoMoreAccessLogs"


class DataRetained(Exception):
    """The environment file says to retain its data."""


def empty_environment(name: str, *, cloudformation: Any, s3: Any) -> dict[str, int]:
    """Delete every version of every object in an environment's buckets, and stop the delivery of access logs.

    Returns the number deleted by bucket.

    Raises:
        DataRetained: when the environment keeps its data.
    """
    environment = load_environment(name)
    if environment.removal != "destroy":
        raise DataRetained(
            f"{name} says `removal: retain`: its buckets outlive the stack, and nothing in them is deleted"
        )
    stack = f"tribal-knowledge-{name}"
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    buckets = [each["PhysicalResourceId"] for each in resources if each["ResourceType"] == "AWS::S3::Bucket"]
    for bucket in buckets:
        _refuse_access_logs(bucket, s3)
    return {bucket: _empty(bucket, s3) for bucket in buckets}


def _refuse_access_logs(bucket: str, s3: Any) -> None:
    """Deny the delivery of access logs: they arrive for hours, and a single one would prevent deleting the bucket.

    A deny takes effect at once; disabling logging takes up to an hour, and pending logs still arrive.
    """
    try:
        policy = json.loads(s3.get_bucket_policy(Bucket=bucket)["Policy"])
    except s3.exceptions.ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchBucketPolicy":
            raise
        policy = {"Version": "2012-10-17", "Statement": []}
    others = [statement for statement in policy["Statement"] if statement.get("Sid") != _REFUSED]
    partition = s3.meta.partition
    refusal = {
        "Sid": _REFUSED,
        "Effect": "Deny",
        "Principal": {"Service": "logging.s3.amazonaws.com"},
        "Action": "s3:PutObject",
        "Resource": f"arn:{partition}:s3:::{bucket}/*",
    }
    s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps(policy | {"Statement": [*others, refusal]}))


def _empty(bucket: str, s3: Any) -> int:
    deleted = 0
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        entries = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
        objects = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in entries]
        if objects:
            answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
            if answer.get("Errors"):
                raise RuntimeError(f"{bucket}: {answer['Errors'][0]['Key']!r}: {answer['Errors'][0]['Message']}")
            deleted += len(objects)
    return deleted


def main() -> int:
    """Empty the buckets of the environment named on the command line."""
    import boto3

    name = sys.argv[1]
    environment = load_environment(name)
    session = boto3.Session(region_name=environment.region)
    try:
        emptied = empty_environment(name, cloudformation=session.client("cloudformation"), s3=session.client("s3"))
    except DataRetained as kept:
        print(kept)
        return 0
    for bucket, count in emptied.items():
        print(f"{bucket}: {count} versions of objects deleted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
