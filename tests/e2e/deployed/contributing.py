"""Contributions of a deployed environment: prepared, approved by someone else, published and followed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from requests import Response

from tests.capabilities.contribution.writing.issues import BODY, TITLE
from tests.e2e.account import ACCOUNT, REGION
from tests.e2e.deployed.deciding import over_mcp
from tests.e2e.deployed_system import DeployedSystem
from tests.edges.cli.test_contribute_issues import mind as doing
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub
from tests.fakes.model_servers.minds import schema_of
from tests.fakes.openai import FakeOpenAI

MIGRATIONS = {
    "db/V1__billing.sql": b"CREATE SCHEMA billing;\nCREATE TABLE billing.payment (id bigint PRIMARY KEY, amount int);\n"
}
"""The repository that creates a table of the company."""
_ANNOTATIONS = "annotations/company.yaml"
_TEXT = "Money that a customer has paid."
_ANSWER = {"kind": "question", "reply": "Because VAT is in the gross price.", "edits": []}


def contribute(system: DeployedSystem, github: FakeGitHub) -> None:
    """Have a contribution prepared, approved by someone else, published once, and followed to its merge."""
    _prepare(system, github)
    _publish(system, github)
    _follow(system, github)


def _prepare(system: DeployedSystem, github: FakeGitHub) -> None:
    """Have a contribution prepared by its state machine; it then waits, and its preparer may not approve it."""
    system.put(_ANNOTATIONS, f"tables: {{billing.payment: {{description: {_TEXT}}}}}".encode())
    assert system.ask("list_contributions", {"state": "open"})["total"] == 1
    assert system.ask("prepare_contribution", {})["state"] == "preparing"
    assert _executions(system, "preparation") == ["SUCCEEDED"]
    shown = system.ask("get_contribution", {})
    assert (shown["state"], _TEXT in shown["diff"], github.pulls.found) == ("waiting", True, [])
    refused = _approve(system, shown)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "CON_ACCESS_DENIED")
    system.account.client("s3").delete_object(Bucket=system.bucket, Key=_ANNOTATIONS)


def _publish(system: DeployedSystem, github: FakeGitHub) -> None:
    """Have another user approve it twice; the publisher alone has sent the token that writes, and one pull request
    was made."""
    other, shown = _other(system, "approver"), system.ask("get_contribution", {})
    assert _tokens(github) == {READ_TOKEN}
    assert _approve(other, shown).status_code == 202
    assert _executions(system, "publication") == ["SUCCEEDED"]
    assert _approve(other, shown).status_code == 409
    assert _called_again(system, "publisher") == _called_again(system, "contributor") == {"status": "following"}
    assert _fired(system, "publish") == {}
    assert len(github.pulls.found) == 1
    assert _tokens(github) == {READ_TOKEN, WRITE_TOKEN}


def _follow(system: DeployedSystem, github: FakeGitHub) -> None:
    """Merge it; the schedule sees that."""
    github.pulls.merge(github.pulls.found[0].number)
    assert _fired(system, "contribute") == {"1": "merged"}
    (listed,) = over_mcp(system, "list_contributions")["cycles"]
    assert (listed["cycle"], listed["outcome"]) == (1, "merged")


def do_issue(system: DeployedSystem, github: FakeGitHub, vendor: FakeOpenAI) -> None:
    """Have a model do an issue, without a sandbox, and answer a question about it, each after an approval."""
    vendor.mind = lambda body: _ANSWER if "kind" in (schema_of(body) or {})["properties"] else doing(body)
    asked = system.ask("prepare_contribution", {"issue": github.pulls.ask(7, TITLE, BODY)})
    assert (asked["cycle"], asked["state"]) == (2, "preparing")
    assert set(_executions(system, "preparation")) == {"SUCCEEDED"}
    shown = system.ask("get_contribution", {})
    assert (shown["state"], shown["publication"]["draft"]) == ("waiting", True)
    assert {each["status"] for each in shown["checks"]} == {"absent", "not_run"}
    other = _other(system, "second-approver")
    assert _approve(other, shown).status_code == 202
    assert set(_executions(system, "publication")) == {"SUCCEEDED"}
    pull = github.pulls.found[-1]
    assert "Fixes #7" in pull.body
    pull.say("ann", "Why not less?", "pricing/prices.py", 7)
    assert _fired(system, "contribute") == {"2": "following"}
    answers = system.ask("get_contribution", {})
    assert (len(pull.line_comments), len(answers["publication"]["replies"])) == (1, 1)
    assert _approve(other, shown).json()["error"]["code"] == "CON_APPROVAL_STALE"
    assert _approve(system, answers).status_code == 403
    assert _approve(other, answers).status_code == 202
    assert set(_executions(system, "publication")) == {"SUCCEEDED"}
    assert pull.line_comments[-1]["body"].startswith(_ANSWER["reply"])
    assert (len(pull.line_comments), len(github.pulls.found)) == (2, 2)


def _other(system: DeployedSystem, name: str) -> DeployedSystem:
    """The same with the keys of a new user."""
    return replace(system, keys=system.account.user_keys(name))


def _approve(system: DeployedSystem, shown: Mapping[str, Any]) -> Response:
    return system.request("POST", f"/v1/contributions/{shown['cycle']}/approval", {"sha256": shown["sha256"]})


def _tokens(github: FakeGitHub) -> set[str]:
    return {
        each.headers["authorization"].removeprefix("Bearer ")
        for each in github.requests
        if "authorization" in each.headers
    }


def _executions(system: DeployedSystem, machine: str) -> list[str]:
    """How the executions of a state machine ended."""
    arn = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{system.environment.prefix}-{machine}"
    listed = system.account.client("stepfunctions").list_executions(stateMachineArn=arn)["executions"]
    return [system.account.wait_for(each["executionArn"])["status"] for each in listed]


def _called_again(system: DeployedSystem, function: str) -> Any:
    """What a function answers when its state machine calls it once more."""
    name, owner = f"{system.environment.prefix}-{function}", system.account.client("lambda")
    return json.loads(owner.invoke(FunctionName=name, Payload=json.dumps({"cycle": 1}))["Payload"].read())


def _fired(system: DeployedSystem, schedule: str) -> Any:
    """The contributions that a schedule worked on, with what became of each."""
    return system.account.fire(f"{system.environment.prefix}-{schedule}", "2026-11-21T09:00:00Z")["contributions"]
