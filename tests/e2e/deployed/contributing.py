"""A contribution of a deployed environment: prepared, approved by someone else, published and followed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.e2e.account import ACCOUNT, REGION
from tests.e2e.deployed.deciding import over_mcp
from tests.e2e.deployed_system import DeployedSystem
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub

MIGRATIONS = {
    "db/V1__billing.sql": b"CREATE SCHEMA billing;\nCREATE TABLE billing.payment (id bigint PRIMARY KEY, amount int);\n"
}
"""The repository that creates a table of the company."""
_ANNOTATIONS = "annotations/company.yaml"
_TEXT = "Money that a customer has paid."
_APPROVAL = "/v1/contributions/1/approval"


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
    refused = system.request("POST", _APPROVAL, {"sha256": shown["sha256"]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "CON_ACCESS_DENIED")
    system.account.client("s3").delete_object(Bucket=system.bucket, Key=_ANNOTATIONS)


def _publish(system: DeployedSystem, github: FakeGitHub) -> None:
    """Have another user approve it twice; the publisher alone has sent the token that writes, and one pull request
    was made."""
    other = replace(system, keys=system.account.user_keys("approver"))
    approved = {"sha256": system.ask("get_contribution", {})["sha256"]}
    assert _tokens(github) == {READ_TOKEN}
    assert other.request("POST", _APPROVAL, approved).status_code == 202
    assert _executions(system, "publication") == ["SUCCEEDED"]
    assert other.request("POST", _APPROVAL, approved).status_code == 409
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
