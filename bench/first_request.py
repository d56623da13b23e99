"""Measures a cold start as callers see it: importing the retriever and answering its first request.

A fresh interpreter sees only the function's unpacked layers and the packages of the Lambda runtime.
`python -m bench.first_request` runs this benchmark alone.
"""

from __future__ import annotations

import compileall
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

from bench.generated import load_generated
from bench.measure import Measurement, measure
from demo import COMPANY_SQL
from infra.function_packages import FUNCTIONS, Packages
from infra.installed import copy_distribution
from infra.layer_contents import ONLY_BOTOCORE_NEEDS, RUNTIME_BRINGS
from infra.packaging import build
from servers.java_packages import PackagesUnavailable
from servers.moto import MotoServer
from servers.opensearch import NodeError, OpenSearchNode
from servers.postgres import EmbeddedServer
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.adapters.sqlite.published import PublishedSqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.ports import IndexWriter, StopToken
from tribal.runs.clock import SystemClock
from tribal.runs.sinks import SilentSink

RUNS = 7
TABLES = 1_000
_BUCKET, _REGION = "bench", "eu-central-1"
REQUEST = """
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


def first_requests(server: EmbeddedServer, tribal: Path, folder: Path) -> list[Measurement]:
    """Measure the first answer over the sample company and over generated tables, with each available kind of index.

    Raises:
        CommandFailedError: when there is no answer.
        EmbeddedServerError: when a database cannot be created.
    """
    server.ensure_database("company", COMPANY_SQL)
    paths = unpacked(folder)
    results: list[Measurement] = []
    with bucket() as s3, _opensearch() as address:
        for database, of in ((load_generated(server, TABLES), f"{TABLES:,} tables"), ("company", "sample company")):
            project, disk = folder / f"first-{database}", folder / f"disk-{database}"
            project.mkdir()
            measure("tribal run", [tribal, "run", server.dsn(database), "--project", project], runs=1, folder=folder)
            indexes: dict[str, tuple[IndexWriter, dict[str, str]]] = {
                "SQLite in S3": (PublishedSqliteIndex(S3ObjectStore(s3, _BUCKET, database), disk), {})
            }
            if address is not None:
                cluster = OpenSearchIndexWriter(opensearch_client(address))
                indexes["OpenSearch"] = (cluster, {"TRIBAL_SEARCH_ENDPOINT": address})
            for kind, (index, told) in indexes.items():
                fill(index, project)
                environment = variables(s3, database) | {"TRIBAL_INDEX": "opensearch" if told else "sqlite", **told}
                results.append(_measured(f"retriever, {kind}, {of}", environment, paths, folder))
    return results


def _measured(name: str, told: Mapping[str, str], paths: list[Path], folder: Path) -> Measurement:
    disk = folder / "lambda"

    def cold() -> None:
        shutil.rmtree(disk, ignore_errors=True)
        disk.mkdir()

    command: list[str | Path] = [sys.executable, "-I", "-S", "-c", REQUEST, *paths]
    environment = {**told, "TMPDIR": str(disk)}
    return measure(name, command, runs=RUNS, folder=folder, before=cold, environment=environment)


def fill(index: IndexWriter, project: Path) -> None:
    parts = FolderStore(project), index, WordLlamaEmbedder(), SystemClock(), SilentSink()
    index_documents(IndexingContext(*parts, stop=StopToken()), IndexingRequest(force=True))
    index.close()


def unpacked(folder: Path) -> list[Path]:
    """The function's import path, with bytecode: its code, its layers, and the packages of the runtime."""
    packages = Packages(folder / "packages", f"{sys.version_info.major}.{sys.version_info.minor}")
    build(packages, installed=True, bytecode=True)
    runtime = folder / "runtime"
    for name in (*RUNTIME_BRINGS, *ONLY_BOTOCORE_NEEDS):
        copy_distribution(name, runtime)
    layers = [packages.layer(layer) / "python" for layer in FUNCTIONS["retriever"]]
    paths = [packages.function("retriever"), *layers, runtime]
    compileall.compile_dir(runtime, quiet=2)
    return paths


def variables(s3: Any, prefix: str) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_REGION": _REGION,
        "AWS_DEFAULT_REGION": _REGION,
        "AWS_ENDPOINT_URL": s3.meta.endpoint_url,
        "AWS_EC2_METADATA_DISABLED": "true",
        # Tells the tracing library that it is in Lambda, so that it creates no clients.
        "LAMBDA_TASK_ROOT": "/var/task",
        "POWERTOOLS_SERVICE_NAME": "retriever",
        "POWERTOOLS_METRICS_NAMESPACE": "bench",
        "POWERTOOLS_TRACE_DISABLED": "true",
        "TRIBAL_STORE": f"s3://{_BUCKET}/{prefix}",
    }


@contextmanager
def bucket() -> Iterator[Any]:
    """Yield a client of a local moto S3 with a bucket."""
    with MotoServer.start() as server:
        s3 = boto3.client(
            "s3",
            region_name=_REGION,
            endpoint_url=server.address,
            aws_access_key_id="bench",
            aws_secret_access_key="bench",
        )
        s3.create_bucket(Bucket=_BUCKET, CreateBucketConfiguration={"LocationConstraint": _REGION})
        yield s3


@contextmanager
def _opensearch() -> Iterator[str | None]:
    """Yield the address of a node, or `None` with a printed note if none is available."""
    try:
        node = OpenSearchNode.start()
    except (PackagesUnavailable, NodeError) as unavailable:
        print(f"without OpenSearch: {unavailable}")
        yield None
        return
    try:
        yield node.address
    finally:
        node.stop()


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
        folder = Path(scratch)
        with EmbeddedServer.start(folder / "postgres") as server:
            for one in first_requests(server, Path(sys.executable).parent / "tribal", folder):
                seconds = f"median {one.median_seconds:.3f} s, fastest {one.fastest_seconds:.3f} s"
                print(f"{one.name:<40} {seconds}, processor {one.median_processor_seconds:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
