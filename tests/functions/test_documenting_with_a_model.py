"""The functions of a run that asks a model, on a real PostgreSQL, moto's S3 and a stand-in for Claude."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.fakes.claude import KEY, FakeClaude
from tests.fakes.model_servers.minds import follows_the_schema
from tests.functions.calls import Context
from tests.functions.test_documentation_run import BUCKET, EVERYTHING, REGION, Environment, configured
from tests.plugins.postgres import FreshDatabase, administer
from tribal.identity import locations
from tribal_contracts import BudgetRecord, DocumentationPlan, KeptProse, ModelQuote, TableDocument, UnitCounts

TABLES = ("parcel", "voucher", "lantern", "saddle")
SQL = "CREATE SCHEMA goods; " + "".join(
    f"CREATE TABLE goods.{table} (id bigint PRIMARY KEY, grade text, weight numeric);" for table in TABLES
)
ONE_UNIT = '    domains: {goods: ["goods.*"]}\ntables_at_once: 2\n'
SECRET = "tribal/claude"
OVER_BEDROCK = {"provider": "bedrock", "name": "global.anthropic.claude-haiku-5-5"}
AT_ANTHROPIC = {"provider": "anthropic", "name": "claude-haiku-5-5", "api_key_secret": SECRET}


@dataclass
class System:
    """An environment with a model, and its database."""

    environment: Environment
    dsn: str
    claude: FakeClaude

    def objects(self, prefix: str, suffix: str = "") -> list[bytes]:
        """Every object of the store whose key begins and ends so."""
        listed = self.environment.s3.list_objects_v2(Bucket=BUCKET, Prefix=f"main/{prefix}")["Contents"]
        keys = [found["Key"].removeprefix("main/") for found in listed if found["Key"].endswith(suffix)]
        return [self.environment.get(key) for key in keys]

    def compose(self) -> tuple[int, list[ModelQuote | None]]:
        """Have the planner compose a run and close it: how many units are to be documented, and the quotes."""
        opened = self.environment.open(EVERYTHING)
        run_id = opened["run_id"]
        self.environment.planner("read", {"run_id": run_id, "database": "company"})
        composed = self.environment.planner("compose", {"run_id": run_id, "request": opened["request"]})
        self.environment.planner("close", {"run_id": run_id, "status": "completed"})
        plan = DocumentationPlan.from_json(self.environment.get(locations.run_plan_file(run_id)))
        return composed["units"], [unit.quote for unit in plan.work_units]


@pytest.fixture
def deployed(
    claude: FakeClaude, monkeypatch: pytest.MonkeyPatch, fresh_database: FreshDatabase
) -> Iterator[Callable[..., System]]:
    """Deploys an environment with a model."""
    claude.secrets = {"test": "test"}
    with mock_aws():

        def deploy(model: Mapping[str, Any]) -> System:
            dsn = fresh_database(SQL)
            address = claude.messages_address if model["provider"] == "bedrock" else claude.address
            part = json.dumps({**model, "base_url": address})
            environment = configured(monkeypatch, dsn, ONE_UNIT, TRIBAL_INDEX="sqlite", TRIBAL_MODEL=part)
            return System(environment, dsn, claude)

        yield deploy


def without_the_layer(patch: pytest.MonkeyPatch) -> None:
    """Have the SDK, and all that needs it, be missing."""
    packages = tuple(f"tribal.adapters.{name}" for name in ("anthropic", "bedrock", "language_models", "openai"))
    ours = [name for name in sys.modules if name.startswith(packages)]
    for name in ("anthropic", "httpx2", "openai", *packages, *ours):
        patch.setitem(sys.modules, name, None)


def test_the_planner_quotes_and_knows_what_is_done_without_the_layer_and_the_key(
    deployed: Callable[..., System],
) -> None:
    system = deployed(AT_ANTHROPIC)
    with pytest.MonkeyPatch.context() as patch:
        without_the_layer(patch)
        units, (quote,) = system.compose()
    assert units == 1
    assert quote is not None
    # Four tables and their domain.
    assert quote.calls == 5
    assert quote.nanodollars > 0

    boto3.client("secretsmanager", region_name=REGION).create_secret(Name=SECRET, SecretString=KEY)
    run_id, _ = system.environment.run()
    assert system.environment.record(run_id).status == "completed"
    assert len(system.claude.calls) == 5
    boto3.client("secretsmanager", region_name=REGION).delete_secret(SecretId=SECRET, ForceDeleteWithoutRecovery=True)

    with pytest.MonkeyPatch.context() as patch:
        without_the_layer(patch)
        assert system.compose() == (0, [None])
        administer(system.dsn, "ALTER TABLE goods.saddle ADD COLUMN colour text")
        units, (quote,) = system.compose()
    assert (units, quote is not None) == (1, True)
    assert len(system.claude.calls) == 5


class EndingContext(Context):
    """A call whose time can be ended, and that knows when someone waits and looks at the clock."""

    looks = 0
    awaited: threading.Event | None = None

    def get_remaining_time_in_millis(self) -> int:
        self.looks += 1
        if self.looks >= 20 and self.awaited is not None:
            self.awaited.set()
        return super().get_remaining_time_in_millis()


def test_tables_that_a_documenter_has_no_time_to_ask_about_are_asked_about_once_by_the_next(
    deployed: Callable[..., System],
) -> None:
    system = deployed({**OVER_BEDROCK, "calls_at_once": 1})
    context, waited = EndingContext(), threading.Event()

    def mind(body: Mapping[str, Any]) -> Any:
        if context.awaited is None:
            # Another table waits for its turn before this answer comes, and with it the end of the time.
            context.looks, context.awaited = 0, waited
            assert waited.wait(60)
            context.remaining_ms = 30_000
        return follows_the_schema(body)

    system.claude.mind = mind
    run_id, statuses = system.environment.run(documenting=context)
    assert statuses == ["running", "completed"]
    assert waited.is_set()

    record = system.environment.record(run_id)
    assert (record.status, record.errors, record.tables_documented) == ("completed", [], 4)
    documents = [TableDocument.from_json(data) for data in system.objects("docs/", ".json") if b'"columns"' in data]
    assert {document.description.source for document in documents} == {"model"}
    # Four tables and their domain, each once.
    asked = [call.body["messages"][0]["content"] for call in system.claude.calls]
    assert len(asked) == len(set(asked)) == 5
    (counts,) = map(UnitCounts.from_json, system.objects(f"progress/runs/{run_id}/counts/"))
    assert counts.usage is not None
    assert counts.usage.calls == 4
    assert record.usage is not None
    budget = BudgetRecord.from_json(system.environment.get(locations.BUDGET_FILE))
    assert record.usage.calls == 5
    assert record.usage.nanodollars == system.claude.nanodollars == budget.run_spend.nanodollars
    assert sum(KeptProse.from_json(data).usage.calls for data in system.objects("prose/")) == 5
