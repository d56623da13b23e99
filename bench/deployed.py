"""What does a deployed run over many tables need? On a stand-in for AWS: `make bench-aws`.

`python -m bench.deployed [TABLES]`, by default 10,000 tables. The packages run in the Lambda runtime and the state
machine as it is deployed. The snapshot of the database is written directly, without samples, and nothing is indexed.
The stand-in handles some 250 objects a second, AWS far more: the time of the whole run says little, but the time and
memory of each function, and the size of the state, are meaningful.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from moto.awslambda.models import LambdaFunction

from bench.harness import Bench, BenchmarkFailed, Row, Table, run
from infra.function_packages import Packages
from infra.packaging import build
from tests.e2e import stand_ins
from tests.e2e.account import CDK, AwsAccount
from tests.e2e.deployed_system import DEV, stack_of
from tests.e2e.lambda_processes import Invocation
from tests.fakes import FixedClock, application, options
from tests.fakes.catalogs import HandMadeReader, column, table
from tests.infra.state_machines import carried_bytes, history_of
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.planning import read_catalog
from tribal_contracts import CatalogTable, DatabaseEntry, DocumentationManifest, RunRequest

TABLES, TABLES_PER_UNIT, UNITS_AT_ONCE = 10_000, 25, 2
LARGEST_STATE_BYTES = 32 * 1024
_AREAS = "sales billing logistics production purchasing people support marketing".split()
_SUBJECTS = "order invoice shipment machine supplier employee ticket campaign product account".split()
_KINDS = "name:text status_cd:char(2) created_at:timestamptz amount_cents:bigint currency_code:char(3) qty:integer"
_SEED, _LONGEST_SECONDS = 20_251_121, 3 * 3600.0


def tables(bench: Bench) -> Iterator[Table]:
    """Deploy the environment `dev`, run once, and report the run and its functions."""
    if not CDK.exists():
        raise BenchmarkFailed(f"{CDK} is missing: use `make bench-aws`, on a machine with Node.js")
    # Importing the CDK starts Node.js.
    from infra.app import build_app

    size = int(bench.arguments[0]) if bench.arguments else TABLES
    packages = Packages(bench.folder / "packages", f"{sys.version_info.major}.{sys.version_info.minor}")
    build(packages, installed=True, bytecode=True)  # as what is deployed has it
    assembly = bench.folder / "cdk.out"
    build_app([DEV], packages, output=assembly).synth()
    with pytest.MonkeyPatch.context() as patch, closing(AwsAccount(patch, bench.folder)) as account:
        account.deploy(assembly, stack_of(DEV))
        store = _prepare(account, patch, list(_catalog_tables(size)))
        result = _run_once(account, store)
        yield Table("a deployed run", [result])
        yield Table("its functions", list(_by_function(account.processes.invocations)))
    if (result["status"], result["manifest"]) != ("SUCCEEDED", "complete"):
        raise BenchmarkFailed(f"the run ended {result['status']}, its manifest is {result['manifest']}")
    if int(result["largest state bytes"] or 0) > LARGEST_STATE_BYTES:
        raise BenchmarkFailed(f"a state carried more than {LARGEST_STATE_BYTES:,} bytes")


def _catalog_tables(count: int) -> Iterator[CatalogTable]:
    """Tables of 12 columns with keys to two earlier ones in the same area."""
    random = Random(_SEED)
    made: dict[str, list[str]] = {area: [] for area in _AREAS}
    for number in range(count):
        area = _AREAS[number % len(_AREAS)]
        name = f"{area}.{random.choice(_SUBJECTS)}_{number:05}"
        kinds = [random.choice(_KINDS.split()).split(":") for _ in range(12)]
        columns = [column(f"{kind}_{place}", type_) for place, (kind, type_) in enumerate(kinds)]
        parents = random.sample(made[area], min(2, len(made[area])))
        yield table(name, *columns, references=[(f"{parent.partition('.')[2]}_id", parent) for parent in parents])
        made[area].append(name)


def _prepare(account: AwsAccount, patch: pytest.MonkeyPatch, made: list[CatalogTable]) -> S3ObjectStore:
    """Configure the environment, and have these tables read in place of a database."""
    entry = DatabaseEntry(name="made_up", dsn="postgresql://nobody@127.0.0.1:1/none", sample_rows=0)
    store = S3ObjectStore(account.client("s3"), urlsplit(account.outputs_of(stack_of(DEV))["Store"]).netloc)
    content = {
        "databases": [{"name": entry.name, "dsn": "postgresql://nobody@127.0.0.1:1/none", "sample_rows": 0}],
        "tables_per_unit": TABLES_PER_UNIT,
        "units_at_once": UNITS_AT_ONCE,
    }
    store.put("config/databases.yaml", yaml.safe_dump(content).encode())

    def call(function: LambdaFunction, event: Any) -> tuple[str, bool]:
        if event.get("task") != "read":
            return account.run_function(function, event)
        app = application(
            store=store, clock=FixedClock(), open_reader=lambda _: HandMadeReader(made), opts=options(entry)
        )
        reading = read_catalog(entry, app, event["input"]["run_id"])
        return json.dumps({"database": entry.name, "status": reading.status}), False

    stand_ins.run_functions_by(patch, call)
    return store


def _run_once(account: AwsAccount, store: S3ObjectStore) -> Row:
    states, machine = account.client("stepfunctions"), account.outputs_of(stack_of(DEV))["StateMachine"]
    start = time.monotonic()
    started = states.start_execution(stateMachineArn=machine, name="bench", input=RunRequest().model_dump_json())
    ended = account.wait_for(started["executionArn"], _LONGEST_SECONDS)
    seconds = time.monotonic() - start
    manifest = DocumentationManifest.from_json(store.get("docs/documentation-manifest.json").data)
    events = history_of(states, started["executionArn"])
    return {
        "status": ended["status"],
        "manifest": manifest.status,
        "tables": sum(database.tables_documented for database in manifest.databases),
        "units": len(manifest.work_units),
        "seconds": seconds,
        "largest state bytes": max(carried_bytes(events)),
        "events": len(events),
    }


def _by_function(invocations: list[Invocation]) -> Iterator[Row]:
    calls: dict[str, list[Invocation]] = {}
    for each in invocations:
        calls.setdefault(" ".join(filter(None, (each.function, each.event.get("task")))), []).append(each)
    for name, some in sorted(calls.items()):
        yield {
            "function": name,
            "calls": len(some),
            "failed": sum(call.failed for call in some),
            "median s": statistics.median(call.seconds for call in some),
            "longest s": max(call.seconds for call in some),
            "peak MB": max(call.peak_bytes for call in some) / 1e6,
        }


if __name__ == "__main__":
    sys.exit(run("deployed", tables))
