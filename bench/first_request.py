"""How long do callers of the deployed retriever wait for the first answer of a new instance?

`python -m bench.first_request [TABLES] [opensearch]`, by default 1,000 tables. A fresh interpreter sees only the
function's unpacked layers and the packages of the Lambda runtime; it imports the handler and answers one request. S3 is
moto's, on this machine.
"""

from __future__ import annotations

import compileall
import logging
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

from bench.generated import documented_project
from bench.harness import Bench, Measurement, Table, measure, run
from bench.indexing import build_in_cluster, index_with
from infra.function_packages import FUNCTIONS, Packages
from infra.installed import copy_distribution
from infra.layer_contents import ONLY_BOTOCORE_NEEDS, RUNTIME_BRINGS
from infra.packaging import build
from servers.moto import MotoServer
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.sqlite.published import PublishedSqliteIndex

RUNS, TABLES = 7, 1_000
BUCKET, _REGION = "bench", "eu-central-1"
_REQUEST = """
import json, sys
sys.path[:0] = sys.argv[1:]
from functions.retriever.handler import handle

class Context:
    function_name, memory_limit_in_mb, aws_request_id = "retriever", 2048, "0"
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:retriever"
    get_remaining_time_in_millis = staticmethod(lambda: 30_000)

path = "/v1/tools/search_tables"
context = {"path": path, "stage": "v1", "httpMethod": "POST", "requestId": "r", "identity": {"sourceIp": "127.0.0.1"}}
answer = handle(
    {
        "resource": path, "path": path, "httpMethod": "POST", "headers": {"content-type": "application/json"},
        "multiValueHeaders": {}, "queryStringParameters": None, "multiValueQueryStringParameters": None,
        "pathParameters": None, "stageVariables": None, "requestContext": context, "isBase64Encoded": False,
        "body": json.dumps({"query": "unpaid invoices of a customer"}),
    },
    Context(),
)
found = json.loads(answer["body"])
assert answer["statusCode"] == 200 and found["tables"], answer
"""


def tables(bench: Bench) -> Iterator[Table]:
    """Measure the first answer over each kind of index."""
    size = next((int(word) for word in bench.arguments if word != "opensearch"), TABLES)
    project, paths = documented_project(bench, size), unpacked(bench.folder)
    indexes = {"SQLite in S3": {"TRIBAL_INDEX": "sqlite"}}
    if "opensearch" in bench.arguments:
        build_in_cluster(project, bench.cluster, "tribal-knowledge")  # The name that the function reads.
        indexes["OpenSearch"] = {"TRIBAL_INDEX": "opensearch", "TRIBAL_SEARCH_ENDPOINT": bench.cluster}
    with bucket() as s3:
        publish(s3, project, bench.folder / "disk")
        rows = [
            first_answer(sys.executable, paths, variables(s3) | index, bench.folder, RUNS).row(name)
            for name, index in indexes.items()
        ]
    yield Table(f"first answer of the retriever, {size:,} tables", rows)


def first_answer(
    python: str | Path, paths: Sequence[str | Path], environment: Mapping[str, str], folder: Path, runs: int = 1
) -> Measurement:
    """Measure a process that imports the handler from these paths and answers, each time with an empty disk."""
    disk = folder / "lambda"

    def empty_disk() -> None:
        shutil.rmtree(disk, ignore_errors=True)
        disk.mkdir()

    command = [python, "-I", "-S", "-c", _REQUEST, *paths]
    return measure(
        command, runs=runs, folder=folder, before=empty_disk, environment={**environment, "TMPDIR": str(disk)}
    )


def unpacked(folder: Path) -> list[Path]:
    """The function's import path, with bytecode: its code, its layers, and the packages of the runtime."""
    packages = Packages(folder / "packages", f"{sys.version_info.major}.{sys.version_info.minor}")
    build(packages, installed=True, bytecode=True)
    runtime = folder / "runtime"
    for name in (*RUNTIME_BRINGS, *ONLY_BOTOCORE_NEEDS):
        copy_distribution(name, runtime)
    compileall.compile_dir(runtime, quiet=2)
    layers = [packages.layer(layer) / "python" for layer in FUNCTIONS["retriever"]]
    return [packages.function("retriever"), *layers, runtime]


def publish(s3: Any, project: Path, disk: Path) -> None:
    """Index the documents of a project in SQLite, published in the bucket."""
    index = PublishedSqliteIndex(S3ObjectStore(s3, BUCKET, "store"), disk)
    index_with(index, FolderStore(project), force=True)
    index.close()


def variables(s3: Any) -> dict[str, str]:
    """The environment of the function."""
    return {
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_REGION": _REGION,
        "AWS_DEFAULT_REGION": _REGION,
        "AWS_ENDPOINT_URL": s3.meta.endpoint_url,
        "AWS_EC2_METADATA_DISABLED": "true",
        # The tracing library creates clients unless it believes to be in Lambda.
        "LAMBDA_TASK_ROOT": "/var/task",
        "POWERTOOLS_SERVICE_NAME": "retriever",
        "POWERTOOLS_METRICS_NAMESPACE": "bench",
        "POWERTOOLS_TRACE_DISABLED": "true",
        "TRIBAL_STORE": f"s3://{BUCKET}/store",
    }


@contextmanager
def bucket() -> Iterator[Any]:
    """Yield a client of a local moto S3 with a bucket."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    with MotoServer.start() as server:
        s3 = boto3.client(
            "s3",
            region_name=_REGION,
            endpoint_url=server.address,
            aws_access_key_id="bench",
            aws_secret_access_key="bench",
        )
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": _REGION})
        yield s3


if __name__ == "__main__":
    sys.exit(run("first_request", tables))
