"""`make bench-aws`: a deployed run over 10,000 tables, with its packages in the Lambda runtime, on simulated AWS.

The snapshot of the database is written directly and nothing is indexed: the state of the state machine and the needs of
each function are measured. The simulation handles some 250 objects a second, AWS far more, so the time of the whole run
says little, but the time and memory of each function are meaningful.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from moto.awslambda.models import LambdaFunction

from infra.environment import Environment
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
from tribal.ports import ObjectStore
from tribal_contracts import CatalogTable, DatabaseEntry, DocumentationManifest, RunRequest

TABLES, TABLES_A_UNIT, UNITS_AT_ONCE = 10_000, 25, 2
LARGEST_STATE_BYTES = 32 * 1024
RESULTS = Path(".bench") / "deployed.json"
_AREAS = "sales billing logistics production purchasing people support marketing"
_SUBJECTS = "order invoice shipment machine supplier employee ticket campaign product account"
_KINDS = "name:text status_cd:char(2) created_at:timestamptz amount_cents:bigint currency_code:char(3) qty:integer"
_SEED, _COLUMNS, _LONGEST_SECONDS = 20_251_121, 12, 3 * 3600.0


def tables(count: int) -> Iterator[CatalogTable]:
    """Tables with keys to two earlier ones in the same area."""
    random = Random(_SEED)
    made: dict[str, list[str]] = {}
    for number in range(count):
        area = _AREAS.split()[number % len(_AREAS.split())]
        subject = random.choice(_SUBJECTS.split())
        name = f"{area}.{subject}_{number:05}"
        earlier = made.setdefault(area, [])
        parents = random.sample(earlier, min(2, len(earlier)))
        kinds = [random.choice(_KINDS.split()).split(":") for _ in range(_COLUMNS)]
        columns = [column(f"{kind}_{place}", type_) for place, (kind, type_) in enumerate(kinds)]
        references = [(f"{parent.partition('.')[2]}_id", parent) for parent in parents]
        earlier.append(name)
        yield table(name, *columns, references=references)


@dataclass(frozen=True)
class Deployment:
    """What is deployed, and what its runs get."""

    environment: Environment = DEV
    secrets: Mapping[str, str] = field(default_factory=dict)
    requests: Sequence[RunRequest] = (RunRequest(),)
    """Of each run, one after the other."""


def run(count: int, folder: Path, deployment: Deployment = Deployment()) -> list[dict[str, Any]]:
    """Deploy, carry out the runs, and return the measurements of each."""
    # Importing the CDK starts Node.js.
    from infra.app import build_app

    packages = Packages(folder / "packages", f"{sys.version_info.major}.{sys.version_info.minor}")
    build(packages, installed=True, bytecode=True)  # as what is deployed has it
    environment, assembly = deployment.environment, folder / "cdk.out"
    build_app([environment], packages, output=assembly).synth()
    with pytest.MonkeyPatch.context() as patch:
        account = AwsAccount(patch, folder)
        try:
            account.deploy(assembly, stack_of(environment))
            for name, value in deployment.secrets.items():
                account.keep_secret(name, value)
            return _measured(account, patch, list(tables(count)), deployment)
        finally:
            account.close()


def _measured(
    account: AwsAccount, patch: pytest.MonkeyPatch, made: list[CatalogTable], deployment: Deployment
) -> list[dict[str, Any]]:
    outputs = account.outputs_of(stack_of(deployment.environment))
    bucket = urlsplit(outputs["Store"]).netloc
    entry = DatabaseEntry(name="made_up", dsn="postgresql://nobody@127.0.0.1:1/none", sample_rows=0)
    store = S3ObjectStore(account.client("s3"), bucket)
    content = {
        "databases": [
            {
                "name": entry.name,
                "dsn": "postgresql://nobody@127.0.0.1:1/none",
                "sample_rows": 0,
            }
        ],
        "tables_per_unit": TABLES_A_UNIT,
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
    states, machine = account.client("stepfunctions"), outputs["StateMachine"]
    return [_ran(account, states, machine, store, request) for request in deployment.requests]


def _ran(account: AwsAccount, states: Any, machine: str, store: ObjectStore, request: RunRequest) -> dict[str, Any]:
    before, began = len(account.processes.invocations), time.monotonic()
    started = states.start_execution(stateMachineArn=machine, name=f"bench-{before}", input=request.model_dump_json())
    ended = account.wait_for(started["executionArn"], _LONGEST_SECONDS)
    seconds = time.monotonic() - began
    manifest = DocumentationManifest.from_json(store.get("docs/documentation-manifest.json").data)
    events = history_of(states, started["executionArn"])
    return {
        "status": ended["status"],
        "manifest": manifest.status,
        "tables": sum(database.tables_documented for database in manifest.databases),
        "units": len(manifest.work_units),
        "began": began,
        "seconds": round(seconds, 1),
        "largest_state_bytes": max(carried_bytes(events)),
        "history_events": len(events),
        "functions": _by_function(account.processes.invocations[before:]),
    }


def _by_function(invocations: list[Invocation]) -> dict[str, dict[str, float]]:
    of: dict[str, list[Invocation]] = {}
    for each in invocations:
        task = each.event.get("task")
        of.setdefault(f"{each.function} {task}" if task else each.function, []).append(each)
    return {
        name: {
            "calls": len(calls),
            "failed": sum(call.failed for call in calls),
            "median_seconds": round(statistics.median(call.seconds for call in calls), 2),
            "most_seconds": round(max(call.seconds for call in calls), 2),
            "peak_mb": round(max(call.peak_bytes for call in calls) / 1e6, 1),
        }
        for name, calls in sorted(of.items())
    }


def main() -> int:
    """Run the benchmark, print a table and write the file; returns 0 if the run completed within its bounds."""
    if not CDK.exists():
        print(f"error: {CDK} is not there: call this with `make bench-aws`, on a machine with Node.js", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="tribal-bench-aws-") as scratch:
        (result,) = run(int(sys.argv[1]) if len(sys.argv) > 1 else TABLES, Path(scratch))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"{'function':40} {'calls':>6} {'failed':>6} {'median s':>9} {'most s':>7} {'peak MB':>8}")
    for name, row in result["functions"].items():
        print(
            f"{name:40} {row['calls']:6} {row['failed']:6} {row['median_seconds']:9.2f} "
            f"{row['most_seconds']:7.2f} {row['peak_mb']:8.1f}"
        )
    print(
        f"{result['tables']:,} tables in {result['units']} units, {result['seconds']:.0f} s; largest state "
        f"{result['largest_state_bytes']:,} bytes (bound {LARGEST_STATE_BYTES:,}), "
        f"{result['history_events']:,} events of the run itself"
    )
    within = result["largest_state_bytes"] <= LARGEST_STATE_BYTES
    done = (result["status"], result["manifest"]) == ("SUCCEEDED", "complete")
    print(f"make bench-aws: {'done' if done and within else 'FAILED'}: {result['status']}, {result['manifest']}")
    return 0 if done and within else 1


if __name__ == "__main__":
    sys.exit(main())
