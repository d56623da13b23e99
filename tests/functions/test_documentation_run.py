"""The functions of a documentation run, called as the state machine calls them, on a real PostgreSQL and moto's S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.scopes import SCOPE, write_scope
from tests.cases import each_case
from tests.functions.calls import Context, api_request, sqs_record
from tests.plugins.postgres import SHOP_SQL, FreshDatabase
from tribal.identity.scope import Scope
from tribal.tools.registry import REGISTRY
from tribal_contracts import DocumentationManifest, RunRecord

BUCKET, REGION = "tribal-test", "eu-central-1"
EVERYTHING: dict[str, Any] = {}
SHOP_DOMAINS = """    domains:
      crm: ["crm.*"]
      sales: ["sales.*"]
      billing: ["billing.*"]
"""


@dataclass
class Environment:
    """A deployed environment without its state machine: the test plays that."""

    s3: Any
    executions: int = 0
    contexts: dict[str, list[Context]] = field(default_factory=dict)

    def planner(self, task: str, content: dict[str, Any]) -> Any:
        from functions.planner.handler import handle

        return handle({"task": task, "input": content}, Context())

    def open(self, request: dict[str, Any], execution: str | None = None) -> Any:
        self.executions += 1
        name = execution or f"execution-{self.executions}"
        started = f"2026-11-21T02:45:{self.executions:02}.000Z"
        task = {"execution": name, "started_at": started, "request": request, "databases_at_once": 4}
        return self.planner("open", task)

    def run(self, request: dict[str, Any] = EVERYTHING, *, documenting: Context | None = None) -> tuple[str, list[str]]:
        """Carry a run out; returns its id and the statuses that documenting answered."""
        from functions.documenter.handler import handle as document
        from functions.finisher.handler import handle as finish

        opened = self.open(request)
        run_id = opened["run_id"]
        for database in opened["databases"]:
            self.planner("read", {"run_id": run_id, "database": database["name"]})
        composed = self.planner("compose", {"run_id": run_id, "request": opened["request"]})
        statuses: list[str] = []
        for wave in composed["waves"]:
            for item in json.loads(self.get(wave["key"])):
                task = {"run_id": run_id, "unit_id": item["unit_id"], "request": opened["request"]}
                while True:
                    statuses.append(document(task, documenting or Context())["status"])
                    if statuses[-1] != "running":
                        break
                    documenting = None
        status = finish({"run_id": run_id}, Context())["status"]
        self.planner("close", {"run_id": run_id, "status": status})
        return run_id, statuses

    def get(self, key: str) -> bytes:
        data: bytes = self.s3.get_object(Bucket=BUCKET, Key=f"main/{key}")["Body"].read()
        return data

    def record(self, run_id: str) -> RunRecord:
        return RunRecord.from_json(self.get(f"progress/runs/{run_id}/run.json"))

    def manifest(self) -> DocumentationManifest:
        return DocumentationManifest.from_json(self.get("docs/documentation-manifest.json"))


def configured(monkeypatch: pytest.MonkeyPatch, dsn: str, domains: str = "", **extra: str) -> Environment:
    """An environment whose one database is at the DSN, with pinned domains in YAML; inside `mock_aws`."""
    for name, value in {
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "TRIBAL_STORE": f"s3://{BUCKET}/main",
        "POWERTOOLS_SERVICE_NAME": "test",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
        **extra,
    }.items():
        monkeypatch.setenv(name, value)
    from functions.indexer import handler as indexer
    from functions.retriever import handler as retriever

    indexer.application.cache_clear()
    retriever.application.cache_clear()
    s3 = boto3.client("s3", region_name=REGION)
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    configuration = f"databases:\n  - name: company\n    dsn: '{dsn}'\n{domains}"
    s3.put_object(Bucket=BUCKET, Key="main/config/databases.yaml", Body=configuration.encode())
    return Environment(s3)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, fresh_database: FreshDatabase) -> Iterator[Environment]:
    dsn = fresh_database(SHOP_SQL)
    with mock_aws():
        yield configured(monkeypatch, dsn, SHOP_DOMAINS, TRIBAL_INDEX="sqlite")


def test_a_run_documents_everything_and_the_next_one_finds_nothing_to_do(environment: Environment) -> None:
    run_id, statuses = environment.run()
    manifest = environment.manifest()
    assert manifest.status == "complete"
    assert set(statuses) == {"completed"}
    record = environment.record(run_id)
    assert (record.status, record.tables_failed) == ("completed", 0)
    assert record.tables_documented == manifest.databases[0].tables_documented == 6
    again, statuses = environment.run()
    assert statuses == []
    assert environment.manifest() == manifest
    assert environment.record(again).status == "completed"


def test_a_documenter_that_is_short_of_time_hands_back_and_is_called_again(environment: Environment) -> None:
    _, statuses = environment.run(documenting=Context(remaining_ms=27_000, cost_ms=1_000))
    assert statuses.count("running") == 1
    assert environment.manifest().status == "complete"


def test_a_second_run_is_kept_out_until_the_first_has_ended(environment: Environment) -> None:
    from tribal.errors import RunLocked

    opened = environment.open(EVERYTHING)
    with pytest.raises(RunLocked):
        environment.open(EVERYTHING)
    environment.planner("close", {"run_id": opened["run_id"], "status": "failed", "error": "Stopped", "cause": "test"})
    record = environment.record(opened["run_id"])
    assert (record.status, record.errors[0].code) == ("failed", "DOC_RUN_INTERRUPTED")
    environment.run()


def test_a_unit_that_fails_for_good_makes_the_run_partial_and_the_others_are_published(
    environment: Environment,
) -> None:
    from functions.documenter.handler import handle as document
    from functions.finisher.handler import handle as finish

    opened = environment.open(EVERYTHING)
    run_id = opened["run_id"]
    environment.planner("read", {"run_id": run_id, "database": "company"})
    composed = environment.planner("compose", {"run_id": run_id, "request": EVERYTHING})
    first, *others = json.loads(environment.get(composed["waves"][0]["key"]))
    failed = {"run_id": run_id, "unit_id": first["unit_id"], "error": "Lambda.Unknown", "cause": "out of memory"}
    assert environment.planner("fail", failed) == {}
    for item in others:
        document({"run_id": run_id, "unit_id": item["unit_id"], "request": EVERYTHING}, Context())
    assert finish({"run_id": run_id}, Context()) == {"status": "partial"}
    environment.planner("close", {"run_id": run_id, "status": "partial"})
    by_id = {unit.id: unit for unit in environment.manifest().work_units}
    assert by_id[first["unit_id"]].status == "failed"
    assert {by_id[item["unit_id"]].status for item in others} == {"completed"}
    (error,) = by_id[first["unit_id"]].errors or []
    assert (error.code, "out of memory" in error.message) == ("DOC_UNIT_FAILED", True)
    assert [one.code for one in environment.record(run_id).errors] == ["DOC_UNIT_FAILED"]


def test_the_databases_of_a_glob_are_found_when_the_run_opens_and_documented_one_by_one(
    monkeypatch: pytest.MonkeyPatch, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database("CREATE TABLE orders (id int PRIMARY KEY)")
    place, _, name = dsn.rpartition("/")
    with mock_aws():
        environment = configured(
            monkeypatch, place, f"    database: '{name[:-1]}[{name[-1]}]'\n", TRIBAL_INDEX="sqlite"
        )
        opened = environment.open(EVERYTHING)
        assert [database["name"] for database in opened["databases"]] == [f"company_{name}"]
        environment.planner("close", {"run_id": opened["run_id"], "status": "failed", "error": "Stopped", "cause": "x"})
        environment.run({"databases": [f"company_{name}"]})
        assert [database.name for database in environment.manifest().databases] == [f"company_{name}"]
        assert json.loads(environment.get("catalog/databases.json"))["databases"] == {"company": [name]}


def test_a_request_selects_what_is_documented(environment: Environment) -> None:
    environment.run({"domains": ["billing"]})
    assert {file.domain for file in environment.manifest().indexable_files if file.type == "table"} == {"billing"}
    environment.run()
    assert len({file.domain for file in environment.manifest().indexable_files if file.type == "table"}) == 3


@each_case(("request_", "named"), [({"databases": ["nope"]}, "company"), ({"domain": ["x"]}, "domain")])
def test_a_request_that_names_what_is_not_there_is_refused_before_anything_begins(
    environment: Environment, request_: dict[str, Any], named: str
) -> None:
    with pytest.raises(Exception, match=named):
        environment.open(request_)
    # No run is in the way of the next one.
    opened = environment.open(EVERYTHING)
    environment.planner("close", {"run_id": opened["run_id"], "status": "failed", "error": "Stopped", "cause": "test"})


def test_what_was_documented_is_indexed_and_answers_over_http(environment: Environment) -> None:
    from functions.indexer.handler import handle as index

    environment.run()
    event = {"detail-type": "Object Created", "detail": {"object": {"key": "main/docs/documentation-manifest.json"}}}
    bodies = [json.dumps(event), "poison", json.dumps({"kind": "manifest"})]
    records = [sqs_record(f"m{number}", body) for number, body in enumerate(bodies)]
    assert index({"Records": records}, Context()) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    found = call("POST", "/v1/tools/search_tables", {"query": "unpaid invoices"})
    assert (found["statusCode"], found["body"]["success"]) == (200, True)
    assert "company.billing.invoice" in [table["name"] for table in found["body"]["tables"]]
    path = {"source_table": "crm.customer", "target_table": "billing.payment", "max_hops": 5}
    assert call("POST", "/v1/tools/get_join_path", path)["body"]["path_found"] is True
    nothing = call("POST", "/v1/tools/search_tables", {"query": "invoices"}, scope=Scope(frozenset({"other"})))
    assert nothing["body"]["tables"] == []
    assert call("POST", "/v1/tools/no_such_tool", {})["statusCode"] == 404
    assert call("POST", "/v1/tools/search_tables", [1])["statusCode"] == 400
    assert call("POST", "/v1/tools/get_table_schema", {"table": "nope"})["statusCode"] == 404
    assert len(call("GET", "/v1/tools")["body"]["tools"]) == len(REGISTRY.tools)
    assert call("GET", "/health")["body"]["ready"] is True


def call(method: str, path: str, body: Any = None, scope: Scope | None = None) -> dict[str, Any]:
    """A request as API Gateway hands it over."""
    from functions.retriever.handler import handle

    authorizer = None if scope is None else {SCOPE: write_scope(scope)}
    event = api_request(method, path, None if body is None else json.dumps(body), authorizer)
    answer = handle(event, Context())
    return {**answer, "body": json.loads(answer["body"])}
