"""The deployed system at work: one scenario after the other, each on what the ones before it left."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from functions.contexts import MARGIN_SECONDS
from infra.function_packages import OUR_LAYER, layers_of, package_of
from tests.e2e.account import wait_until
from tests.e2e.deployed import chatting, commanding, contributing, deciding, interrogating, proposing
from tests.e2e.deployed.remembering import in_two_processes, leave_half_written
from tests.e2e.deployed_system import SIGNERS_MAY, DeployedSystem, command_line, unit_of
from tests.e2e.git_server import GitServer
from tests.e2e.lambda_processes import Sandbox
from tests.e2e.permissions import missing, unused
from tests.e2e.unused_permissions import outdated, unexplained
from tests.fakes.github.server import FakeGitHub
from tests.fakes.openai import FakeOpenAI
from tests.plugins.postgres import administer, connected
from tests.plugins.skips import skip_or_fail
from tribal.capabilities.memory.repository import PENDING
from tribal.documenting.units.document_unit import LOW_TIME_SECONDS
from tribal.tools.registry import EVERYTHING
from tribal_contracts import Definitions, IndexerProgress

pytestmark = pytest.mark.xdist_group("e2e")

PLANNER, DOCUMENTER, FINISHER = "planner-default", "documenter-default", "finisher"
DEPLOYED = (
    *(PLANNER, DOCUMENTER, FINISHER, "indexer", "retriever", "mcp", "memory", "checker", "syncer", "interrogator"),
    *("chat", "uploads", "ingester", "contributor", "publisher", "proposer"),
)
AFTER = {
    "test_what_is_allowed_and_was_never_called_has_its_reason",
    "test_logs_and_metrics_are_as_cloudwatch_reads_them",
}
"""Tests that look at what the others left."""


@pytest.fixture(autouse=True)
def played(system: DeployedSystem, request: pytest.FixtureRequest) -> None:
    """Note that a scenario is played."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        assert request.node.nodeid.endswith("@e2e"), "scenarios build on each other: this pytest and xdist spread them"
    system.scenarios.add(request.node.name)


def test_what_the_schedule_starts_is_documented_indexed_and_answered(system: DeployedSystem) -> None:
    record = system.run_of_schedule()
    assert record.status == "completed"
    assert system.manifest().status == "complete"
    assert record.tables_documented == system.manifest().databases[0].tables_documented > 20
    assert "company.billing.invoice" in system.found("unpaid invoices")
    path = system.ask("get_join_path", {"source_table": "crm.customer", "target_table": "billing.payment"})
    assert path["path_found"] is True
    assert "JOIN" in path["sql_snippet"]
    (query,) = Definitions.from_json(system.get("docs/definitions.json")).queries
    assert (query.status, query.tables) == ("current", ["company.billing.invoice"])
    assert query.sql.strip() in system.ask("get_query_context", {"question": "which invoices are unpaid"})["text"]


def test_one_slot_of_the_schedule_starts_one_run_however_often_it_is_delivered(system: DeployedSystem) -> None:
    states = system.account.client("stepfunctions")
    machine = system.outputs["StateMachine"]
    before = len(states.list_executions(stateMachineArn=machine)["executions"])
    again = system.account.fire(f"{system.environment.prefix}-daily", "2026-11-01T02:30:00Z")
    assert system.account.wait_for(again["executionArn"])["status"] == "SUCCEEDED"
    assert len(states.list_executions(stateMachineArn=machine)["executions"]) == before


def test_the_other_schedule_has_the_indexer_look_at_the_manifest(system: DeployedSystem) -> None:
    delivered = len(system.sources.delivered)
    system.account.fire(f"{system.environment.prefix}-reconcile", "2026-11-21T06:00:00Z")
    wait_until(lambda: system.sources.idle)
    assert [json.loads(body)["kind"] for body in system.sources.delivered[delivered:]] == ["manifest"]
    assert "company.billing.invoice" in system.found("unpaid invoices")


def test_who_has_not_signed_is_turned_away(system: DeployedSystem) -> None:
    assert system.request("POST", "/v1/tools/list_domains", {}, sign=False).status_code == 403
    assert system.request("GET", "/v1/tools").status_code == 200
    assert system.request("GET", "/health").json()["ready"] is True
    assert system.request("GET", "/anything/else").status_code == 403


def test_an_agent_is_answered_over_mcp_by_a_function_that_asks_the_retriever(system: DeployedSystem) -> None:
    asked = {"name": "search_tables", "arguments": {"query": "unpaid invoices"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    assert system.request("POST", "/mcp", call, sign=False).status_code == 403
    result = system.request("POST", "/mcp", call).json()["result"]
    assert "company.billing.invoice" in {table["name"] for table in result["structuredContent"]["tables"]}
    resource = {**call, "method": "resources/read", "params": {"uri": "tribal://company/billing/invoice"}}
    (content,) = system.request("POST", "/mcp", resource).json()["result"]["contents"]
    assert content["text"].startswith("# company.billing.invoice")
    assert [system.request(method, "/mcp").status_code for method in ("GET", "DELETE")] == [405, 405]
    (first, *_) = [event["tool_call"] for event in system.calls_of("retriever") if "tool_call" in event]
    assert first["tool"] == "search_tables"
    assert {*first["caller"]["rights"]} == EVERYTHING.read_rights | SIGNERS_MAY
    assert first["caller"]["identity"]["user"].endswith(f":user/caller-{system.environment.name}")


def test_a_memory_of_the_company_that_no_index_has_yet_is_found_and_told_at_its_table(system: DeployedSystem) -> None:
    content = "billing.invoice keeps void invoices for ten years."
    name = leave_half_written(system, content)
    found = system.ask("memory_search", {"query": "void invoices", "layers": ["company"]})
    assert [each["memoryId"] for each in found["results"]] == [name]
    assert [*system.all(PENDING)] == []
    (item,) = system.ask("get_table_schema", {"table": "billing.invoice"})["guidance"]
    assert (item["id"], item["text"], item["author"]) == (name, content, "bea")
    refused = system.request("POST", "/v1/tools/memory_delete", {"memoryId": name})
    assert (refused.status_code, refused.json()["errorCode"]) == (403, "UNAUTHORIZED")


def test_what_is_remembered_is_found_by_another_process_and_by_no_one_else(system: DeployedSystem) -> None:
    told = {"content": "Revenue leaves void invoices out of every report."}
    asked = {"query": "Which invoices does revenue leave out?", "threshold": 0, "layers": ["user"]}
    name = system.ask("memory_add", told)["memoryId"]
    assert system.ask("memory_add", told)["memoryId"] == name
    for answer in in_two_processes(system, "memory_search", asked):
        assert [found["memoryId"] for found in answer["results"]] == [name]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_search", "arguments": asked}}
    over_mcp = system.request("POST", "/mcp", call).json()["result"]["structuredContent"]
    assert [found["content"] for found in over_mcp["results"]] == [told["content"]]
    second = replace(system, keys=system.account.user_keys("second"))
    assert (second.ask("memory_search", asked)["totalCount"], second.ask("memory_search", asked)["results"]) == (0, [])
    absent = second.request("POST", "/v1/tools/memory_delete", {"memoryId": name})
    assert (absent.status_code, absent.json()["errorCode"]) == (404, "NOT_FOUND")
    assert system.ask("memory_delete", {"memoryId": name})["success"] is True
    again = system.request("POST", "/v1/tools/memory_delete", {"memoryId": name})
    assert (again.status_code, again.json()) == (404, absent.json())
    assert system.ask("memory_search", asked)["results"] == []
    assert [event for event in system.calls_of("retriever") if "memory" in json.dumps(event.get("path", ""))] == []


def test_what_was_decided_is_synced_over_https_checked_and_told_and_synced_again_when_it_changes(
    system: DeployedSystem, git: GitServer
) -> None:
    git.commit(deciding.FIRST, "Decide")
    told = system.account.fire(f"{system.environment.prefix}-sync", "2026-11-21T07:00:00Z")
    assert (told["success"], told["result"]["added"]) == (True, 3)
    deciding.forget_projections(system)
    unpaid = {"sql": "SELECT inv_no FROM billing.invoice WHERE status = 'unpaid'", "database": "company"}
    assert [each["code"] for each in system.ask("check_sql", unpaid)["findings"]] == ["value_not_allowed"]
    checked = system.ask("knowledge_check", deciding.MYSQL)
    assert (checked["passed"], [each["knowledgeItemId"] for each in checked["violations"]]) == (False, ["drivers"])
    git.commit(deciding.CHANGED, "Say why")
    assert system.ask("sync_now", {})["result"]["updated"] == 1
    git.commit(deciding.AGAIN, "Say it better")
    assert deciding.over_mcp(system, "sync_now")["result"]["updated"] == 1
    assert deciding.shown_everywhere(system) == deciding.EVERYWHERE


def test_what_a_team_decided_is_there_for_that_team_alone(system: DeployedSystem, git: GitServer) -> None:
    assert deciding.seen_by(system, "billing") == ({"drivers", "0001-payments", "dunning"}, None)
    assert deciding.seen_by(system, "ops") == ({"drivers", "0001-payments"}, "NOT_FOUND")


def test_a_question_is_answered_and_an_interrogation_ends_and_is_shown(system: DeployedSystem) -> None:
    interrogating.ask_and_mark(system, "which invoices are unpaid?", "company.billing.invoice")
    interrogating.interrogate(system, "How many invoices has each customer not paid?")


def test_a_description_is_proposed_listed_and_withdrawn(system: DeployedSystem) -> None:
    proposing.propose_and_withdraw(system)


def test_an_upload_is_read_and_cited_by_an_answer_whose_first_piece_is_seen_before_the_last_is_made(
    system: DeployedSystem, vendor: FakeOpenAI
) -> None:
    chatting.upload_and_ask(system, vendor)
    chatting.announce_and_remove(system)
    chatting.poison(system)


def test_contributions_are_approved_published_and_followed(
    system: DeployedSystem, github: FakeGitHub, vendor: FakeOpenAI
) -> None:
    contributing.contribute(system, github)
    contributing.do_issue(system, github, vendor)


def test_what_claims_to_be_the_call_of_a_function_is_a_request_like_any_other(system: DeployedSystem) -> None:
    event = {"tool": "list_domains", "arguments": {}, "caller": {"subject": "mallory"}}
    answer = system.request("POST", "/v1/tools/list_domains", {"tool_call": event})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "RET_QUERY_INVALID")


def test_the_second_run_finds_nothing_changed(system: DeployedSystem) -> None:
    before = system.manifest()
    documented, delivered = len(system.calls_of(DOCUMENTER)), len(system.sources.delivered)
    record = system.run()
    assert record.status == "completed"
    assert system.manifest() == before
    assert len(system.calls_of(DOCUMENTER)) == documented
    assert len(system.sources.delivered) == delivered


def test_a_changed_table_is_documented_and_indexed_again_and_no_other_unit_is(system: DeployedSystem) -> None:
    assert "dunning_level" not in json.dumps(system.ask("get_table_schema", {"table": "billing.invoice"}))
    administer(system.dsn, "ALTER TABLE billing.invoice ADD COLUMN dunning_level smallint")
    documented, delivered = len(system.calls_of(DOCUMENTER)), len(system.sources.delivered)
    assert system.run().status == "completed"
    changed = [event["unit_id"] for event in system.calls_of(DOCUMENTER)[documented:]]
    assert unit_of(system, "billing.invoice") in changed
    assert len(changed) < len(system.manifest().work_units)
    assert "dunning_level" in json.dumps(system.ask("get_table_schema", {"table": "billing.invoice"}))
    assert [json.loads(body)["detail-type"] for body in system.sources.delivered[delivered:]] == ["Object Created"]


def test_a_unit_that_fails_leaves_a_partial_run_and_the_next_one_mends_it(system: DeployedSystem) -> None:
    administer(
        system.dsn,
        "ALTER TABLE billing.payment ADD COLUMN batch_ref text; ALTER TABLE support.ticket ADD COLUMN batch_ref text",
    )
    failing, other = unit_of(system, "support.ticket"), unit_of(system, "billing.payment")
    assert failing != other

    def run_out_of_memory(function: str, event: Any, sandbox: Sandbox) -> None:
        if function.endswith(DOCUMENTER) and event["unit_id"] == failing:
            sandbox.kill()

    system.account.processes.before = run_out_of_memory
    record = system.run()
    system.account.processes.before = None
    assert record.status == "partial"
    assert [error.code for error in record.errors] == ["DOC_UNIT_FAILED"]
    by_id = {unit.id: unit.status for unit in system.manifest().work_units}
    # Its other tables have been documented before.
    assert by_id[failing] == "partial"
    assert {status for unit, status in by_id.items() if unit != failing} == {"completed"}
    assert "batch_ref" in json.dumps(system.ask("get_table_schema", {"table": "billing.payment"}))
    assert "batch_ref" not in json.dumps(system.ask("get_table_schema", {"table": "support.ticket"}))
    assert system.run().status == "completed"
    assert "batch_ref" in json.dumps(system.ask("get_table_schema", {"table": "support.ticket"}))


def test_a_unit_that_needs_three_slices_of_time_gets_them(system: DeployedSystem) -> None:
    unit = unit_of(system, "stock.product")
    documented = len(system.calls_of(DOCUMENTER))
    with connected(system.dsn) as other:

        def lock_two_tables(function: str, *_: Any) -> None:
            if function.endswith(DOCUMENTER) and len(system.calls_of(DOCUMENTER)) == documented:
                other.run("BEGIN; LOCK TABLE stock.bin, stock.supplier IN ACCESS EXCLUSIVE MODE")

        # To wait for a table that someone else has locked takes longer than a call has left.
        system.account.processes.before = lock_two_tables
        system.account.processes.seconds_for = lambda function, _: (
            LOW_TIME_SECONDS + MARGIN_SECONDS + 2 if function.endswith(DOCUMENTER) else None
        )
        record = system.run({"units": [unit], "force": True})
        system.account.processes.before = system.account.processes.seconds_for = None
        other.run("ROLLBACK")
    calls = [each for each in system.account.processes.invocations if each.function.endswith(DOCUMENTER)][documented:]
    statuses = [call.answer["status"] for call in calls]
    assert {call.event["unit_id"] for call in calls} == {unit}
    assert len(statuses) >= 3
    assert statuses == ["running"] * (len(statuses) - 1) + ["completed"]
    assert record.status == "completed"


def test_a_poisoned_message_ends_among_the_dead_letters_and_those_that_meet_another_indexer_do_not(
    system: DeployedSystem,
) -> None:
    sqs = system.account.client("sqs")
    rebuild = '{"kind":"rebuild"}'
    bodies = ["poison", rebuild, rebuild, rebuild]
    entries = [{"Id": str(number), "MessageBody": body} for number, body in enumerate(bodies)]
    sqs.send_message_batch(QueueUrl=system.outputs["IndexerQueue"], Entries=entries)
    wait_until(lambda: system.sources.idle)
    dead = sqs.receive_message(QueueUrl=system.outputs["IndexerDeadLetters"], MaxNumberOfMessages=10)
    assert [message["Body"] for message in dead["Messages"]] == ["poison"]
    sqs.purge_queue(QueueUrl=system.outputs["IndexerDeadLetters"])
    assert system.sources.delivered.count("poison") == 5
    # At least one of them was delivered while another was at work, and queued again.
    assert system.sources.delivered.count(rebuild) > 3
    assert "company.crm.customer" in system.found("customers")


def test_what_was_deleted_does_not_come_back_with_late_events(system: DeployedSystem) -> None:
    documents = [file.path for file in system.manifest().indexable_files if file.table == "tmp_mig_2019_bak"]
    assert documents
    assert system.ask("search_tables", {"query": "tmp_mig_2019_bak"})["tables"][0]["name"].endswith("tmp_mig_2019_bak")
    administer(system.dsn, "DROP TABLE public.tmp_mig_2019_bak")
    assert system.run().status == "completed"
    s3 = system.account.client("s3")
    listed = s3.list_objects_v2(Bucket=system.bucket, Prefix="docs/")["Contents"]
    assert set(documents).isdisjoint({each["Key"].removeprefix("docs/") for each in listed})
    late = [body for body in dict.fromkeys(system.sources.delivered) if body != "poison"]
    for body in reversed(late):
        system.account.client("sqs").send_message(QueueUrl=system.outputs["IndexerQueue"], MessageBody=body)
    wait_until(lambda: system.sources.idle)
    found = system.ask("search_tables", {"query": "tmp_mig_2019_bak", "limit": 20})
    assert "company.public.tmp_mig_2019_bak" not in {table["name"] for table in found["tables"]}
    assert "company.billing.invoice" in system.found("unpaid invoices")


def test_a_document_that_someone_deleted_blocks_the_index_until_a_run_has_written_it_again(
    system: DeployedSystem,
) -> None:
    (document,) = [
        file.path
        for file in system.manifest().indexable_files
        if file.type == "table" and file.table == "warehouse" and file.path.endswith(".json")
    ]
    system.account.client("s3").delete_object(Bucket=system.bucket, Key=f"docs/{document}")
    queue, dead = system.outputs["IndexerQueue"], system.outputs["IndexerDeadLetters"]
    system.account.client("sqs").send_message(QueueUrl=queue, MessageBody=json.dumps({"kind": "rebuild"}))
    wait_until(lambda: system.sources.idle)
    assert "Messages" not in system.account.client("sqs").receive_message(QueueUrl=dead)
    progress = IndexerProgress.from_json(system.get("progress/indexer-progress.json"))
    assert [error.code for error in progress.errors] == ["MANIFEST_FILE_MISSING"]
    assert "company.billing.invoice" in system.found("unpaid invoices")
    assert system.run().status == "completed"
    assert "company.stock.warehouse" in system.found("warehouse")


def test_of_two_runs_at_once_the_second_ends_cleanly(system: DeployedSystem) -> None:
    administer(system.dsn, "ALTER TABLE sales.quote ADD COLUMN channel text")
    reached, released = threading.Event(), threading.Event()

    def hold(function: str, event: Any, sandbox: Sandbox) -> None:
        if function.endswith(DOCUMENTER):
            reached.set()
            assert released.wait(300)

    system.account.processes.before = hold
    first = system.start()
    assert reached.wait(300)
    documented = len(system.calls_of(DOCUMENTER))
    second = system.account.wait_for(system.start())
    assert second["status"] == "SUCCEEDED"
    assert len(system.calls_of(DOCUMENTER)) == documented
    released.set()
    system.account.processes.before = None
    assert system.ended(first).status == "completed"
    assert "channel" in json.dumps(system.ask("get_table_schema", {"table": "sales.quote"}))


@pytest.mark.parametrize("function", DEPLOYED)
def test_functions_ran_from_their_packages_and_nothing_else(system: DeployedSystem, function: str) -> None:
    processes, name = system.account.processes, f"{system.environment.prefix}-{function}"
    task, *layers, _ = path = processes.path_of(name)
    executed = processes.executed_files(name)
    package = function.split("-")[0]
    needed = layers_of(package, None, shared=system.environment.asks_models(package))
    assert len(layers) == len(needed)
    assert str(task / "functions" / package_of(package) / "handler.py") in executed
    assert str(layers[needed.index(OUR_LAYER)] / "tribal" / "__init__.py") in executed
    allowed = (*(f"{place}/" for place in path), sysconfig.get_path("stdlib"), str(Path(json.__file__).parent.parent))
    assert [file for file in executed if not file.startswith(allowed) or "site-packages" in file] == []
    assert f"python{sys.version_info.major}.{sys.version_info.minor}" in system.runtime_of(name)


def test_the_command_line_works_with_the_environment(system: DeployedSystem, tmp_path: Path) -> None:
    tribal = command_line(system, tmp_path)
    commanding.run_and_ask(system, tribal)
    commanding.upload_and_remove(tribal, tmp_path)


def test_every_call_is_allowed_by_the_role_of_its_caller(system: DeployedSystem) -> None:
    system.found("invoices")
    by_roles = [call for call in system.account.recorder.calls if not call.is_by_service]
    assert {call.action.split(":")[0] for call in by_roles} >= {"s3", "es", "sqs", "lambda", "states", "secretsmanager"}
    assert missing(by_roles, system.account.role_grants()) == []


def test_every_call_is_allowed_by_the_policy_of_what_is_called_where_that_decides(system: DeployedSystem) -> None:
    decided = [call for call in system.account.recorder.calls if call.is_by_service or call.action.startswith("es:")]
    callers = {call.caller for call in decided if call.is_by_service}
    assert callers == {"events.amazonaws.com", "apigateway.amazonaws.com"}
    assert missing(decided, system.account.policy_grants()) == []


def test_what_is_allowed_and_was_never_called_has_its_reason(system: DeployedSystem) -> None:
    every = {name for name in globals() if name.startswith("test_")}
    if not every - AFTER <= {name.partition("[")[0] for name in system.scenarios}:
        skip_or_fail("not every scenario was played")
    allowed = [*system.account.role_grants(system.stack), *system.account.policy_grants(system.stack)]
    left = unused(system.account.recorder.calls, allowed)
    assert "\n".join(f"{one.caller} {one.action} {one.resource} {one.source}" for one in unexplained(left)) == ""
    assert [exemption.reason for exemption in outdated(left)] == []


def test_logs_and_metrics_are_as_cloudwatch_reads_them(system: DeployedSystem) -> None:
    for function in DEPLOYED:
        log = system.account.processes.log_of(f"{system.environment.prefix}-{function}")
        assert "correct horse" not in log
        metrics = [json.loads(line) for line in log.splitlines() if '"_aws"' in line]
        namespaces = {metric["_aws"]["CloudWatchMetrics"][0]["Namespace"] for metric in metrics}
        assert namespaces == {f"TribalKnowledge/{system.environment.name}"}
