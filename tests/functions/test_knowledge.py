"""The functions that sync decisions, find and show them, and check against them; each does no more than that."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.capability import handler as capability
from functions.mcp import handler as mcp
from functions.offering import answered_by, offered_tools, tools_of
from functions.scopes import IDENTITY, RIGHTS, SCOPE, write_identity, write_rights, write_scope
from functions.syncer import handler as syncer
from tests.capabilities.knowledge.test_publishing import write
from tests.fakes.application import with_knowledge
from tests.functions.calls import Context, api_request
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.app.remote.function_tools import tools_of_functions
from tribal.capabilities import capabilities
from tribal.capabilities.knowledge.parts import KnowledgeParts
from tribal.errors import ConfigurationError, SourceFailed
from tribal.identity.scope import EVERYTHING
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import Application, Identity
from tribal.ports.remembering.knowledge_source import KnowledgeSource
from tribal.tools.registry import EVERYTHING as EVERY_TOOL
from tribal.tools.remote import RemoteTools

BUCKET = "decisions"
VARIABLES = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "eu-central-1",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "TRIBAL_STORE": f"s3://{BUCKET}",
    "TRIBAL_INDEX": "sqlite",
    "TRIBAL_MEMORY": "{}",
    "TRIBAL_KNOWLEDGE": json.dumps({"repository": "https://git.example.com/decisions.git"}),
    "POWERTOOLS_SERVICE_NAME": "test",
    "POWERTOOLS_METRICS_NAMESPACE": "Test",
    "POWERTOOLS_TRACE_DISABLED": "true",
}
POLICY = """\
---
title: Billing libraries
type: policy
severity: block
constraints:
  - {operator: must_not_use, target: dependency, pattern: mysql2}
---
We use PostgreSQL.
"""
HANDLERS: dict[str, ModuleType] = {"memory": capability, "checker": capability, "syncer": syncer}


def of_team(team: str, *rights: str) -> dict[str, str]:
    """What the authorizer says of a bearer of a token who belongs to a team."""
    granted = frozenset(rights or ("knowledge:read", "memory:read"))
    identity = write_identity(Identity("alice", teams=(team,)))
    return {
        "principalId": "alice",
        SCOPE: write_scope(EVERYTHING),
        IDENTITY: identity,
        RIGHTS: write_rights(granted),
    }


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    write(tmp_path, "teams/billing/policies/libraries.md", POLICY)
    write(tmp_path, "teams/ops/adrs/0001-queues.md", "# 1. Queues\n\nStatus: accepted\n\nWe take one queue.\n")
    return tmp_path


@pytest.fixture(name="functions", autouse=True)
def functions_fixture(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Application]]:
    """The functions over one bucket; what they sync is the folder."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        s3 = boto3.client("s3", region_name="eu-central-1")
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        apps = {}
        for name, handler in (("memory", capability), ("syncer", syncer)):
            handler._tools.cache_clear()
            handler.application.cache_clear()
            # Read when it was imported, which was before the variables were set.
            monkeypatch.setattr(handler.metrics.provider, "namespace", "Test")
            app: Application = handler.application()
            parts = app.part(KnowledgeParts)
            assert parts is not None
            assert parts.origin is not None
            origin = replace(parts.origin, open=lambda: nullcontext(KnowledgeFolder(folder)))
            apps[name] = with_knowledge(app, origin=origin)
            monkeypatch.setattr(handler, "application", lambda app=apps[name]: app)
        monkeypatch.setattr(
            syncer, "patient_application", lambda seconds: with_knowledge(apps["syncer"], sync_seconds=seconds)
        )
        yield apps
    for handler in HANDLERS.values():
        handler._tools.cache_clear()


def let_source(
    functions: dict[str, Application],
    monkeypatch: pytest.MonkeyPatch,
    opened: Callable[[], AbstractContextManager[KnowledgeSource]],
) -> None:
    """Have the syncer open another source."""
    app = functions["syncer"]
    parts = app.part(KnowledgeParts)
    assert parts is not None
    assert parts.origin is not None
    other = with_knowledge(app, origin=replace(parts.origin, open=opened))
    monkeypatch.setattr(syncer, "patient_application", lambda seconds: with_knowledge(other, sync_seconds=seconds))


def asked(function: str, tool: str, arguments: Any, caller: dict[str, str]) -> tuple[int, Any]:
    """What a function answers to a request of API Gateway."""
    event = api_request("POST", f"/v1/tools/{tool}", json.dumps(arguments), caller)
    os.environ["POWERTOOLS_SERVICE_NAME"] = function
    answer = HANDLERS[function].handle(event, Context())
    return answer["statusCode"], json.loads(answer["body"])


def scheduled(remaining_ms: int = 600_000) -> dict[str, Any]:
    """What the syncer answers to its schedule."""
    told: dict[str, Any] = syncer.handle({"scheduled_at": "2026-11-23T08:00:00Z"}, Context(remaining_ms))
    return told


def counted(output: str) -> dict[str, float]:
    """The figures of the last call, as CloudWatch reads them."""
    lines = [json.loads(line) for line in output.splitlines() if '"SyncsDone"' in line]
    return {name: lines[-1][name][0] for name in ("SyncsDone", "SyncsFailed")}


def test_what_the_schedule_synced_is_found_shown_and_checked(capsys: pytest.CaptureFixture[str]) -> None:
    told = scheduled()
    assert (told["success"], told["result"]["added"]) == (True, 2)
    assert counted(capsys.readouterr().out) == {"SyncsDone": 1, "SyncsFailed": 0}
    billing = of_team("billing")
    _, found = asked("memory", "knowledge_query", {"query": "billing libraries"}, billing)
    assert [each["id"] for each in found["items"]] == ["libraries"]
    _, shown = asked("memory", "knowledge_show", {"id": "libraries"}, billing)
    assert shown["item"]["constraints"][0]["pattern"] == "mysql2"
    _, checked = asked("checker", "knowledge_check", {"dependencies": [{"name": "mysql2"}]}, billing)
    assert (checked["passed"], [each["knowledgeItemId"] for each in checked["violations"]]) == (False, ["libraries"])
    _, status = asked("memory", "sync_status", {}, billing)
    assert (status["healthy"], status["stats"]["totalItemsSynced"]) == (True, 2)
    _, pointers = asked("memory", "memory_search", {"query": "PostgreSQL for billing", "threshold": 0}, billing)
    assert [each["source"] for each in pointers["results"]] == ["knowledge:libraries"]


def test_a_caller_of_another_team_sees_nothing_of_it() -> None:
    scheduled()
    ops = of_team("ops")
    _, found = asked("memory", "knowledge_query", {}, ops)
    assert [each["id"] for each in found["items"]] == ["0001-queues"]
    assert asked("memory", "knowledge_show", {"id": "libraries"}, ops)[0] == 404
    _, checked = asked("checker", "knowledge_check", {"dependencies": [{"name": "mysql2"}]}, ops)
    assert (checked["passed"], checked["violations"]) == (True, [])
    assert asked("checker", "knowledge_check", {"knowledgeItemIds": ["libraries"]}, ops)[0] == 404
    _, pointers = asked("memory", "memory_search", {"query": "PostgreSQL for billing", "threshold": 0}, ops)
    assert [each["source"] for each in pointers["results"]] == ["knowledge:0001-queues"]


def test_sync_now_is_for_who_may_sync() -> None:
    status, refused = asked("syncer", "sync_now", {}, of_team("billing"))
    assert (status, refused["errorCode"]) == (403, "UNAUTHORIZED")
    status, told = asked("syncer", "sync_now", {}, of_team("billing", "knowledge:sync"))
    assert (status, told["success"], told["result"]["added"]) == (200, True, 2)


@pytest.mark.parametrize("function", HANDLERS)
def test_a_function_answers_the_tools_that_are_its_own_and_no_others(function: str) -> None:
    for tool in EVERY_TOOL.tools:
        status, told = asked(function, tool, {}, of_team("billing"))
        known = status != 404 or told.get("error", {}).get("code") != "HTTP_NOT_FOUND"
        assert known == (tool in answered_by()[function]), tool


def test_each_tool_of_these_capabilities_is_answered_by_one_function() -> None:
    answered = [tool for tools in answered_by().values() for tool in tools]
    assert sorted(answered) == sorted(EVERY_TOOL.tools.keys() - tools_of_the_retriever())


def tools_of_the_retriever() -> set[str]:
    """Those that no other function answers; `ask` is the chat's where one is deployed."""
    uses = [use for each in capabilities() for use in each.uses if use.function == "retriever"]
    return {tool for use in uses for tool in use.tools} - {"ask"}


def test_without_knowledge_memory_answers_what_is_memorys_and_the_others_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TRIBAL_KNOWLEDGE")
    assert {*tools_of("memory").tools} == {"memory_add", "memory_search", "memory_delete"}
    with pytest.raises(ConfigurationError):
        tools_of("checker")


def test_a_sync_that_someone_waits_for_is_cut_short_before_api_gateway_is() -> None:
    parts = syncer.application().part(KnowledgeParts)
    assert parts is not None
    assert 0 < (parts.sync_seconds or 0) <= 25


class Late(KnowledgeFolder):
    """A folder that takes long to list."""

    seconds = 1.5

    def tree(self) -> Any:
        import time

        time.sleep(self.seconds)
        return super().tree()


def test_a_schedule_that_runs_out_of_time_is_resumed_by_the_next(
    functions: dict[str, Application],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    let_source(functions, monkeypatch, lambda: nullcontext(Late(folder)))
    assert scheduled(remaining_ms=6_000)["errorCode"] == "TIMEOUT"
    assert counted(capsys.readouterr().out) == {"SyncsDone": 0, "SyncsFailed": 0}
    assert scheduled()["success"] is True
    assert counted(capsys.readouterr().out) == {"SyncsDone": 1, "SyncsFailed": 0}


def test_a_source_that_does_not_answer_is_counted_as_a_failure_and_what_was_published_stays(
    functions: dict[str, Application], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scheduled()

    @contextmanager
    def gone() -> Iterator[KnowledgeSource]:
        raise SourceFailed("git.example.com does not answer")
        yield

    let_source(functions, monkeypatch, gone)
    capsys.readouterr()
    assert scheduled()["errorCode"] == "PROVIDER_ERROR"
    assert counted(capsys.readouterr().out) == {"SyncsDone": 0, "SyncsFailed": 1}
    _, status = asked("memory", "sync_status", {}, of_team("billing"))
    assert (status["healthy"], status["warnings"]) == (
        False,
        ["the last sync was interrupted: git.example.com does not answer"],
    )
    assert asked("memory", "knowledge_query", {}, of_team("billing"))[1]["totalCount"] == 1


def test_a_schedule_that_meets_another_sync_leaves_it_alone(
    functions: dict[str, Application], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = functions["syncer"]
    LeaseFile(app.store(), app.clock, "sync").take("other", "somebody", timedelta(minutes=5), is_held=lambda _: True)
    assert scheduled()["errorCode"] == "CONFLICT"
    assert counted(capsys.readouterr().out) == {"SyncsDone": 0, "SyncsFailed": 0}


def test_the_checker_and_the_memory_write_nothing_when_they_are_asked_about_decisions() -> None:
    scheduled()
    s3 = boto3.client("s3", region_name="eu-central-1")

    def versions() -> dict[str, str]:
        return {each["Key"]: each["ETag"] for each in s3.list_objects_v2(Bucket=BUCKET)["Contents"]}

    before = versions()
    assert any(key.startswith("knowledge/projections/") for key in before)
    asked("checker", "knowledge_check", {"dependencies": [{"name": "mysql2"}]}, of_team("billing"))
    asked("memory", "knowledge_query", {"query": "libraries"}, of_team("billing"))
    asked("memory", "sync_status", {}, of_team("billing"))
    assert versions() == before


def test_the_function_for_mcp_asks_for_each_tool_the_function_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    arns = {name: f"arn:aws:lambda:eu-central-1:111122223333:function:{name}" for name in ("retriever", *answered_by())}
    monkeypatch.setenv("TRIBAL_RETRIEVER", arns["retriever"])
    for name in answered_by():
        monkeypatch.setenv(f"TRIBAL_{name.upper()}_FUNCTION", arns[name])
    given: list[Any] = []

    def note(*told: Any) -> RemoteTools:
        given.append(told)
        return tools_of_functions(*told)

    monkeypatch.setattr(mcp, "tools_of_functions", note)
    mcp._deployment.cache_clear()
    mcp._tools.cache_clear()
    remote = mcp._tools()
    mcp._deployment.cache_clear()
    mcp._tools.cache_clear()
    ((retriever, _, _, others),) = given
    assert (retriever, remote._others.keys()) == (arns["retriever"], others.keys())
    assert {tool: arn.rpartition(":")[2] for tool, arn in others.items()} == {
        tool: name for name, tools in answered_by().items() for tool in tools
    }
    assert {tool for tool in offered_tools().tools if tool not in others} == tools_of_the_retriever()
