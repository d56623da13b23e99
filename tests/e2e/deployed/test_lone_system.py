"""An environment with its index in a file, a model, and a database of Snowflake next to that of PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
import yaml

from infra.function_packages import ASKING, MODEL_LAYERS, layers_of
from tests.e2e.account import wait_until
from tests.e2e.deployed_system import DeployedSystem
from tests.e2e.permissions import missing, unused
from tests.e2e.unused_permissions import unexplained
from tests.fakes.claude import FakeClaude
from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import ROLE, USER, WAREHOUSE, private_key_pem, see, shop
from tests.plugins.postgres import administer
from tribal_contracts import BudgetRecord, KeptProse, TableDocument, WorkUnitProgress, sum_usage

pytestmark = pytest.mark.xdist_group("e2e")

PLANNER, DOCUMENTER, FINISHER = "planner-default", "documenter-default", "finisher"
SAYING = "A record of the business."
"""What the model says of everything."""
KEY_SECRET = "tribal/dev/snowflake"


def test_a_model_describes_what_is_open_and_what_it_used_is_recorded(
    lone_system: DeployedSystem, active_model: FakeClaude
) -> None:
    record = lone_system.run_of_schedule()
    assert (record.status, record.errors) == ("completed", [])
    assert {call.wire for call in active_model.calls} == {"messages"}
    assert len({json.dumps(call.body["system"]) for call in active_model.calls}) == 1
    documents = [TableDocument.from_json(data) for data in lone_system.documents("table")]
    written = {document.name for document in documents if document.description.source == "model"}
    assert len(written) > 5
    assert {document.description.text for document in documents if document.name in written} == {SAYING}
    kept = [KeptProse.from_json(data) for data in lone_system.all("prose/")]
    assert written <= {prose.subject for prose in kept}
    used, budget = record.usage, BudgetRecord.from_json(lone_system.get("progress/budget.json"))
    assert used is not None
    assert used.calls == len(active_model.calls) == sum(prose.usage.calls for prose in kept)
    # In a region Bedrock asks a tenth more than the stand-in counts.
    price = sum(-(-call.nanodollars * 11 // 10) for call in active_model.calls)
    assert used.nanodollars == budget.run_spend.nanodollars == budget.day_spend.nanodollars == price
    assert (budget.run_id, budget.holders) == (record.run_id, {})
    progress = [WorkUnitProgress.from_json(data) for data in lone_system.all("progress/work_units/", "/progress.json")]
    of_tables = [prose.usage for prose in kept if "." in prose.subject]
    assert sum_usage([unit.usage for unit in progress]) == sum_usage(of_tables)


def test_prose_that_is_kept_is_not_asked_for_again(lone_system: DeployedSystem, active_model: FakeClaude) -> None:
    asked = len(active_model.calls)
    record = lone_system.run({"force": True, "domains": ["support"]})
    assert (record.status, record.tables_documented > 3, record.usage) == ("completed", True, None)
    assert len(active_model.calls) == asked


def test_an_environment_with_its_index_in_a_file_documents_indexes_and_answers(
    lone_system: DeployedSystem, active_model: FakeClaude
) -> None:
    assert "company.billing.invoice" in lone_system.found("unpaid invoices")
    delivered = len(lone_system.sources.delivered)
    lone_system.account.fire(f"{lone_system.environment.prefix}-reconcile", "2026-11-21T06:00:00Z")
    wait_until(lambda: lone_system.sources.idle)
    assert len(lone_system.sources.delivered) == delivered + 1
    asked = len(active_model.calls)
    administer(lone_system.dsn, "ALTER TABLE support.sla ADD COLUMN escalates_to text")
    assert lone_system.run().status == "completed"
    # The second call is a repair: the stand-in says of each table what it said of the neighbours that it is shown.
    assert ["escalates_to" in json.dumps(call.body) for call in active_model.calls[asked:]] == [True, True]
    # A retriever looks for a new file every few seconds.
    wait_until(lambda: "escalates_to" in json.dumps(lone_system.ask("get_table_schema", {"table": "support.sla"})))


@pytest.fixture(scope="module")
def warehouse() -> Iterator[FakeSnowflake]:
    """An account in which the role may select from one table."""
    fake = FakeSnowflake()
    shop(fake)
    see(
        fake,
        fake.account.database("SHOP").schema("PUBLIC").relations["CUSTOMERS"],
        "SHOP",
        "PUBLIC",
        privilege="SELECT",
    )
    fake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {ROLE}")
    yield fake
    fake.stop()
    assert (fake.telemetry, fake.broken) == ([], [])


def entry_of(fake: FakeSnowflake) -> dict[str, object]:
    """The account's database, as an operator writes it down."""
    where = urlencode({"host": "127.0.0.1", "port": fake.port, "protocol": "http"})
    names = urlencode({"role": ROLE, "warehouse": WAREHOUSE, "private_key_secret": KEY_SECRET})
    dsn = f"snowflake://{USER}@{fake.account.name}/SHOP?{names}&{where}"
    return {"name": "shop", "dsn": dsn, "sample_rows": 20, "describer": "rules"}


def test_a_database_of_snowflake_is_documented_next_to_the_other(
    lone_system: DeployedSystem, warehouse: FakeSnowflake
) -> None:
    lone_system.account.keep_secret(KEY_SECRET, private_key_pem())
    content = yaml.safe_load(lone_system.get("config/databases.yaml"))
    content["databases"].append(entry_of(warehouse))
    lone_system.put("config/databases.yaml", yaml.safe_dump(content).encode())
    record = lone_system.run()
    assert (record.status, record.errors) == ("completed", [])
    assert {database.name: database.type for database in lone_system.manifest().databases} == {
        "company": "postgres",
        "shop": "snowflake",
    }
    documents = {each.name: each for each in map(TableDocument.from_json, lone_system.documents("table"))}
    assert documents["shop.PUBLIC.CUSTOMERS"].samples_taken
    assert documents["shop.PUBLIC.CUSTOMERS"].description.text == "Who buys."
    assert not documents["shop.PUBLIC.ORDERS"].samples_taken
    assert warehouse.warehouse_statements != []
    wait_until(lambda: "shop.PUBLIC.CUSTOMERS" in lone_system.found("customers who buy"))
    assert any(name.startswith("company.") for name in lone_system.found("customers who buy"))
    between = {"source_table": "shop.PUBLIC.CUSTOMERS", "target_table": "company.crm.customer"}
    answer = lone_system.ask("get_join_path", between)
    assert (answer["success"], answer["path_found"]) == (True, False)
    assert [each["code"] for each in answer["warnings"]] == ["RET_JOIN_CROSS_DATABASE"]


def test_a_database_that_is_down_is_served_with_when_it_was_read(
    lone_system: DeployedSystem, warehouse: FakeSnowflake
) -> None:
    before = lone_system.manifest()
    warehouse.stop()
    record = lone_system.run()
    assert record.status == "partial"
    assert lone_system.manifest().indexable_files == before.indexable_files

    def warned() -> list[str]:
        answer = lone_system.ask("search_tables", {"query": "customers who buy"})
        return [each["message"] for each in answer.get("warnings", ()) if each["code"] == "RET_INDEX_STALE"]

    wait_until(lambda: len(warned()) == 1)
    assert "'shop' did not answer in the last run" in warned()[0]


@pytest.mark.parametrize("function", [DOCUMENTER, FINISHER])
def test_who_asks_the_model_has_its_sdk_in_a_layer(lone_system: DeployedSystem, function: str) -> None:
    name = f"{lone_system.environment.prefix}-{function}"
    _, *layers, _ = lone_system.account.processes.path_of(name)
    package = function.split("-")[0]
    assert package in ASKING
    assert len(layers) == len(layers_of(package, MODEL_LAYERS[0]))
    assert [layer for layer in layers if (layer / "anthropic").is_dir()] == [layers[-1]]


def test_who_only_quotes_what_the_model_costs_has_no_sdk(lone_system: DeployedSystem) -> None:
    path = lone_system.account.processes.path_of(f"{lone_system.environment.prefix}-{PLANNER}")
    assert [place for place in path if (place / "anthropic").is_dir()] == []


def test_of_a_run_with_a_model_every_call_is_allowed_and_all_that_is_allowed_is_called(
    lone_system: DeployedSystem,
) -> None:
    calls = lone_system.account.recorder.calls
    grants = [
        grant
        for grant in lone_system.account.role_grants(lone_system.stack)
        if any(f"Pipeline{function}" in grant.caller for function in ("Planner", "Documenter", "Finisher"))
    ]
    callers = {grant.caller for grant in grants}
    assert len(callers) == 3
    assert len({grant.caller for grant in grants if grant.action == "bedrock-mantle:CreateInference"}) == 2
    assert missing([call for call in calls if call.caller in callers], grants) == []
    # Nothing goes away here; what deletes then is the same in the other environment, where something does.
    left = [one for one in unexplained(unused(calls, grants)) if one.action != "s3:DeleteObject"]
    assert "\n".join(f"{one.caller} {one.action} {one.resource}" for one in left) == ""
