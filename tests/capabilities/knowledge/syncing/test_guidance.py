"""A decision that names a table is reported with it, before memories, to those whom it is for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.capabilities.knowledge.syncing.house import ADA, EVE, call, house, write
from tests.edges.mcp.asked import index_project
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller
from tribal_contracts.knowledge import KnowledgeCheckOutput

TABLE = "shop.crm.customer"
SETTINGS = """identity: {company: acme-inc, org: acme, teams: [web], project: shop}
knowledge: {repository: decisions}
memory: {}
databases: []
"""
POLICY = """---
id: no-customer-queries
title: Nobody queries customers
summary: Customers are read by the service alone.
constraints:
  - {operator: must_not_use, target: table, pattern: 'crm\\.customer', severity: block}
---
Ask the service.
"""
DECISION = "# 1. Keys of tables\n\nStatus: accepted\n\n## Decision\n\nWe number rows of `crm.customer` by hand.\n"
OTHER = "# 2. Valves\n\nStatus: accepted\n\n## Decision\n\nValves of customer pumps stay shut.\n"
DRAFT = "# 3. Drafts\n\nStatus: draft\n\n## Decision\n\nWe drop `crm.customer`.\n"


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    index_project(tmp_path)
    adrs = tmp_path / "decisions" / "projects" / "shop" / "adrs"
    write(adrs, {"0001-keys.md": DECISION, "0002-valves.md": OTHER, "0003-draft.md": DRAFT})
    write(tmp_path / "decisions" / "teams" / "web" / "policies", {"customers.md": POLICY})
    with closing(house(tmp_path, SETTINGS)) as app:
        yield app


def test_what_blocks_comes_first_then_decisions_then_memories(app: Application) -> None:
    call(app, "memory_add", content="crm.customer has test accounts", layer="project")
    assert [each["kind"] for each in call(app, "get_table_schema", table=TABLE)["guidance"]] == ["memory"]
    call(app, "sync_now")
    told = call(app, "get_table_schema", table=TABLE)["guidance"]
    assert [(each["kind"], each["id"]) for each in told][:2] == [
        ("policy", "no-customer-queries"),
        ("adr", "0001-keys"),
    ]
    assert [each["kind"] for each in told][2:] == ["memory"]
    assert told[0]["text"] == "Nobody queries customers: Customers are read by the service alone."
    assert (told[0]["layer"], told[0]["author"]) == ("team", "web")


def test_others_and_other_tables_are_shown_nothing_of_it(app: Application) -> None:
    call(app, "sync_now")
    assert "guidance" not in call(app, "get_table_schema", EVE, table=TABLE)
    assert "guidance" not in call(app, "get_table_schema", ADA, table="shop.sales.shipment")


def test_anyone_who_may_not_see_a_table_reads_no_decision_and_no_memory_that_names_it(app: Application) -> None:
    leave = "We join `crm.customer` with `Leave Request`."
    adrs = {"0004-leave.md": f"# 4. Joins of customers\n\nStatus: accepted\n\n## Decision\n\n{leave}\n"}
    project = Path(app.store().location)
    write(project / "decisions" / "projects" / "shop" / "adrs", adrs)
    call(app, "sync_now")
    call(app, "memory_add", content=leave, layer="project")
    call(app, "memory_add", content="In `crm.customer` a leave request ends nothing", layer="project")
    crm_alone = replace(ADA, scope=Scope(schemas=frozenset({("shop", "crm")})))

    def read_by(caller: Caller) -> tuple[list[str], list[str]]:
        found = call(app, "knowledge_query", caller, query="joins of customers")["items"]
        guidance = call(app, "get_table_schema", caller, table=TABLE)["guidance"]
        memories = [each["text"] for each in guidance if each["kind"] == "memory"]
        return [each["id"] for each in found], memories

    everything, bounded = read_by(ADA), read_by(crm_alone)
    hidden = "0004-leave"
    assert set(everything[0]) - set(bounded[0]) == {hidden}
    assert set(everything[1]) - set(bounded[1]) == {leave}
    refused = call(app, "knowledge_show", crm_alone, id=hidden)
    assert (refused["errorCode"], hidden in refused["details"].get("nearMisses", [])) == ("NOT_FOUND", False)
    assert call(app, "knowledge_show", ADA, id=hidden)["success"]


def test_sql_is_checked_against_the_policies_of_its_caller(app: Application) -> None:
    call(app, "sync_now")
    assert app.policies is not None
    checker = app.policies(app)
    assert checker is not None

    def checked(sql: str, caller: Caller = ADA) -> KnowledgeCheckOutput:
        found = checker.check_sql(sql, "postgres", caller)
        assert found is not None
        return found

    refused = checked("SELECT 1 FROM CRM.Customer")
    assert (refused.passed, [each.knowledge_item_id for each in refused.violations]) == (False, ["no-customer-queries"])
    assert checked("SELECT 1 FROM crm.orders").passed
    # SQL that cannot be parsed may name the table.
    assert checked("SELECT FROM WHERE (").violations
    # Policies of other teams do not apply.
    assert checked("SELECT 1 FROM crm.customer", EVE).passed
