"""The tools of knowledge and of syncing, called as every edge calls them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.knowledge.syncing.house import ADA, ADR_042, EVE, call, decision, house, write
from tests.fakes.application import with_knowledge
from tribal.errors import ConfigurationError
from tribal.identity.locations import SYNC_LEASE
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import Identity

DATABASES = "orgs/acme/adrs/adr-042-database-selection.md"


@pytest.fixture(name="source")
def source_fixture(tmp_path: Path) -> Path:
    folder = tmp_path / "decisions"
    write(folder, {DATABASES: ADR_042, "projects/shop/adrs/0001-rest.md": decision("1. REST over queues")})
    return folder


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path, source: Path) -> Iterator[Application]:
    with closing(house(tmp_path)) as app:
        yield app


def test_the_examples_of_the_specification_run(app: Application) -> None:
    synced = call(app, "sync_now")
    assert (synced["success"], synced["result"]) == (
        True,
        {"added": 2, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 0},
    )
    found = call(app, "knowledge_query", query="database selection", type="adr", status=["accepted"])
    assert found["items"][0] == {
        "id": "adr-042-database-selection",
        "type": "adr",
        "layer": "org",
        "title": "Database Selection for New Services",
        "summary": "Use PostgreSQL for all new services requiring relational data",
        "status": "accepted",
        "tags": ["database", "infrastructure"],
        "hasConstraints": True,
    }
    assert found["success"]
    checked = call(app, "knowledge_check", dependencies=[{"name": "mysql2", "version": "3.0.0"}])
    assert checked == {
        "passed": False,
        "violations": [
            {
                "knowledgeItemId": "adr-042-database-selection",
                "knowledgeItemTitle": "Database Selection for New Services",
                "constraint": {
                    "operator": "must_not_use",
                    "target": "dependency",
                    "pattern": "mysql|mysql2|mariadb",
                },
                "severity": "block",
                "message": "MySQL not allowed for new services per ADR-042. Use PostgreSQL instead.",
            }
        ],
        "summary": {"info": 0, "warn": 0, "block": 1},
    }


def test_an_item_that_is_not_there_is_the_failure_of_the_specification(app: Application) -> None:
    call(app, "sync_now")
    caller = replace(ADA, identity=replace(ADA.identity, teams=()))
    failed = call(app, "knowledge_show", caller, id="adr-999")
    assert failed == {
        "success": False,
        "errorCode": "NOT_FOUND",
        "message": "Knowledge item 'adr-999' not found",
        "details": {
            "requestedId": "adr-999",
            "searchedLayers": ["company", "org", "project"],
            "code": "KNW_NOT_FOUND",
        },
        "retryable": False,
    }
    near = call(app, "knowledge_show", id="adr-042-database-selections")
    assert near["details"]["nearMisses"] == ["adr-042-database-selection"]
    unknown = call(app, "knowledge_check", dependencies=[], knowledgeItemIds=["adr-999"])
    assert (unknown["errorCode"], unknown["details"]["requestedId"]) == ("NOT_FOUND", "adr-999")


def test_an_item_is_shown_whole(app: Application) -> None:
    call(app, "sync_now")
    shown = call(app, "knowledge_show", id="adr-042-database-selection", includeHistory=True)
    assert "We take PostgreSQL." in shown["item"]["content"]
    assert [each["operator"] for each in shown["item"]["constraints"]] == ["must_use", "must_not_use"]
    assert shown["history"] == []
    bare = call(app, "knowledge_show", id="adr-042-database-selection", includeConstraints=False)
    assert "constraints" not in bare["item"]
    assert "history" not in bare


def test_without_a_sync_and_without_a_source_each_tool_says_what_to_do(app: Application) -> None:
    asked: dict[str, dict[str, Any]] = {"knowledge_query": {}, "knowledge_show": {"id": "x"}, "knowledge_check": {}}
    for tool, arguments in asked.items():
        failed = call(app, tool, **arguments)
        assert (failed["errorCode"], failed["retryable"]) == ("NOT_FOUND", False)
        assert "tribal sync" in failed["message"]
    status = call(app, "sync_status")
    assert (status["healthy"], status["lastSyncAt"], status["timeSinceSync"]) == (False, None, "never")
    bare = with_knowledge(app, origin=None)
    assert "databases.yaml" in call(bare, "sync_now")["message"]
    assert call(bare, "sync_status")["healthy"]


def test_a_sync_counts_what_changed_and_memory_points_to_what_is_in_force(app: Application, source: Path) -> None:
    call(app, "sync_now")
    assert call(app, "sync_now")["result"] == {
        "added": 0,
        "updated": 0,
        "deleted": 0,
        "unchanged": 2,
        "failures": 0,
    }
    (pointer,) = call(app, "memory_search", query="PostgreSQL for new services requiring relational data")["results"]
    assert (pointer["layer"], pointer["source"]) == ("org", "knowledge:adr-042-database-selection")
    assert pointer["content"].startswith("Database Selection for New Services: Use PostgreSQL")
    assert pointer["tags"] == ["database", "infrastructure"]
    refused = call(app, "memory_delete", memoryId=pointer["memoryId"])
    assert refused["errorCode"] == "UNAUTHORIZED"
    assert "knowledge:adr-042-database-selection" in refused["message"]
    write(source, {DATABASES: ADR_042.replace("status: accepted", "status: draft")})
    write(source, {"projects/shop/adrs/0002-two.md": decision("2. Two")})
    (source / "projects/shop/adrs/0001-rest.md").unlink()
    changed = call(app, "sync_now")
    assert changed["result"] == {"added": 1, "updated": 1, "deleted": 1, "unchanged": 0, "failures": 0}
    assert changed["message"].startswith("1 added, 1 updated, 1 deleted; 2 items are published")
    assert not call(app, "memory_search", query="PostgreSQL for new services requiring relational data")["results"]
    assert call(app, "memory_search", query="REST over queues", threshold=0)["totalCount"] == 1


def test_forcing_a_sync_writes_all_again_and_doubles_nothing(app: Application) -> None:
    call(app, "sync_now")
    store = app.store()
    before = {key: store.get(key).data for key in store.keys("") if not key.startswith("progress/")}
    forced = call(app, "sync_now", force=True)
    assert forced["result"] == {"added": 0, "updated": 2, "deleted": 0, "unchanged": 0, "failures": 0}
    after = {key: store.get(key).data for key in store.keys("") if not key.startswith("progress/")}
    assert set(after) == set(before)
    assert {key for key in after if key.startswith("memory/")} == {key for key in before if key.startswith("memory/")}


def test_a_sync_of_a_type_or_a_layer_touches_nothing_else(app: Application, source: Path) -> None:
    call(app, "sync_now")
    write(source, {"projects/shop/policies/names.md": "---\nid: names\ntitle: Names\nsummary: In snake case\n---\nSo."})
    write(source, {DATABASES: ADR_042.replace("PostgreSQL for all", "Postgres for all")})
    (source / "projects/shop/adrs/0001-rest.md").unlink()
    only = call(app, "sync_now", types=["policy"])
    assert only["result"] == {"added": 1, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 0}
    assert call(app, "sync_now", layers=["org"])["result"]["updated"] == 1
    assert call(app, "knowledge_query", query="REST over queues")["items"][0]["id"] == "0001-rest"
    assert call(app, "sync_now")["result"] == {"added": 0, "updated": 0, "deleted": 1, "unchanged": 2, "failures": 0}


def test_a_file_that_cannot_be_used_is_reported_and_its_last_good_item_stays(app: Application, source: Path) -> None:
    call(app, "sync_now")
    write(source, {DATABASES: ADR_042.replace("status: accepted", "status: perhaps")})
    write(source, {"projects/shop/adrs/0003-bad.md": "---\ntitle: [\n---\n# Bad\n"})
    failed = call(app, "sync_now")
    assert (failed["success"], failed["result"]["failures"], failed["result"]["deleted"]) == (False, 2, 0)
    assert f"{DATABASES}:5" in failed["message"]
    assert not call(app, "knowledge_check", dependencies=[{"name": "mysql2"}])["passed"]
    status = call(app, "sync_status")
    assert (status["healthy"], status["failedItems"]) == (False, 2)
    assert any(each.startswith(f"{DATABASES}:5") for each in status["warnings"])
    assert not any(DATABASES in each for each in call(app, "sync_status", EVE).get("warnings", ()))
    write(source, {DATABASES: ADR_042})
    (source / "projects/shop/adrs/0003-bad.md").unlink()
    assert call(app, "sync_now")["result"] == {"added": 0, "updated": 0, "deleted": 0, "unchanged": 2, "failures": 0}
    assert call(app, "sync_status")["healthy"]


def test_what_the_company_decided_without_a_company_is_a_failure_and_no_gap(tmp_path: Path) -> None:
    write(tmp_path / "decisions", {"company/adrs/0001-one.md": decision("1. One")})
    with closing(house(tmp_path, "knowledge: {repository: decisions}\ndatabases: []\n")) as app:
        failed = call(app, "sync_now")
    assert (failed["success"], failed["result"]["failures"]) == (False, 1)
    assert "company/adrs/0001-one.md: " in failed["message"]


def test_no_one_sees_what_another_team_decided(app: Application, source: Path) -> None:
    write(source, {"teams/line/adrs/0009-secret.md": decision("9. Valves first")})
    call(app, "sync_now")
    assert {each["id"] for each in call(app, "knowledge_query", EVE)["items"]} == {"0009-secret"}
    assert "0009-secret" not in {each["id"] for each in call(app, "knowledge_query")["items"]}
    hidden = call(app, "knowledge_show", id="0009-secret")
    missing = call(app, "knowledge_show", id="0009-secrets")
    assert hidden["details"].keys() == missing["details"].keys()
    assert call(app, "knowledge_check", EVE, dependencies=[{"name": "mysql2"}])["passed"]
    told = [each["content"] for each in call(app, "memory_search", query="Valves first", threshold=0)["results"]]
    assert not any("Valves" in each for each in told)


def test_a_second_sync_at_the_same_time_is_refused(app: Application) -> None:
    lease = RunLease(LeaseFile(app.store(), app.clock, SYNC_LEASE), "sync-other", lock=app.locks(SYNC_LEASE))
    with lease:
        refused = call(app, "sync_now")
    assert (refused["errorCode"], refused["retryable"]) == ("CONFLICT", True)
    assert call(app, "sync_now")["success"]


def test_a_sync_that_takes_too_long_is_cut_short_and_resumed(tmp_path: Path, source: Path) -> None:
    write(source, {f"projects/shop/adrs/{number:04}-d.md": decision(f"{number}. D") for number in range(2, 40)})
    with closing(house(tmp_path)) as app:
        late = call(with_knowledge(app, sync_seconds=0.0), "sync_now")
        assert (late["errorCode"], late["retryable"], late["details"]["code"]) == ("TIMEOUT", True, "SYN_TIMED_OUT")
        assert call(app, "knowledge_query")["errorCode"] == "NOT_FOUND"
        assert call(app, "sync_now")["result"]["added"] == 40


def test_a_source_that_is_gone_is_reported_and_what_was_published_stays(app: Application, source: Path) -> None:
    call(app, "sync_now")
    source.rename(source.with_name("elsewhere"))
    failed = call(app, "sync_now")
    assert (failed["errorCode"], failed["retryable"], failed["details"]["code"]) == (
        "PROVIDER_ERROR",
        True,
        "KNW_SOURCE_FAILED",
    )
    status = call(app, "sync_status")
    assert not status["healthy"]
    assert "interrupted" in status["warnings"][0]
    assert call(app, "knowledge_query")["totalCount"] == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("knowledge_query", {"query": " "}, "query: must not be blank"),
        ("knowledge_query", {"limit": 0}, "limit"),
        ("knowledge_query", {"status": []}, "status"),
        ("knowledge_query", {"colour": "red"}, "colour"),
        ("knowledge_check", {"files": [{"path": "../x", "content": ""}]}, "is outside the project"),
        ("knowledge_check", {"minSeverity": "fatal"}, "minSeverity"),
        ("knowledge_show", {}, "id"),
        ("sync_now", {"types": []}, "types"),
        ("sync_status", {"x": 1}, "x"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_its_place(
    app: Application, tool: str, arguments: dict[str, Any], problem: str
) -> None:
    call(app, "sync_now")
    failed = call(app, tool, **arguments)
    assert (failed["errorCode"], failed["retryable"]) == ("INVALID_INPUT", False)
    assert problem in failed["message"]


def test_who_has_no_right_is_refused(app: Application) -> None:
    nobody = Caller("nobody", rights=frozenset(), identity=Identity("nobody"))
    for tool in ("knowledge_query", "knowledge_check", "sync_now", "sync_status"):
        assert call(app, tool, nobody)["errorCode"] == "UNAUTHORIZED"
    reader = replace(nobody, rights=frozenset(("knowledge:read",)))
    assert call(app, "sync_now", reader)["errorCode"] == "UNAUTHORIZED"


def test_a_folder_that_the_snapshot_would_be_written_to_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="another name"):
        house(tmp_path, "knowledge: {repository: knowledge/here}\ndatabases: []\n")
