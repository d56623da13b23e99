"""Contributions in AWS: the contributor prepares and follows, the publisher publishes, each only that."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import boto3
import pytest

from functions.contribution import handler
from functions.offering import answered_by
from functions.scopes import RIGHTS, SCOPE, write_rights, write_scope
from infra.stacks.job_machine import job_definition
from tests.capabilities.contribution.shop_with_clone import FILES, ShopWithClone
from tests.capabilities.contribution.writing.issues import BODY, PACKAGE, TITLE, Mind, ScriptedSource
from tests.capabilities.contribution.writing.test_reviews import CHANGED
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, WRITES, FakeGitHub
from tests.functions.calls import Context, api_request
from tests.functions.test_interrogator import counted
from tests.infra.state_machines import BUCKET, REGION, Account
from tribal.app.deployed import deployed_application
from tribal.capabilities.contribution.cycles.files import ContributionFiles
from tribal.capabilities.contribution.parts import ContributionParts, contribution_parts
from tribal.capabilities.contribution.publishing.approving import new_approval
from tribal.capabilities.contribution.writing.model_session import WritingModels
from tribal.identity.scope import Scope
from tribal.ports import Application, StopToken
from tribal.ports.capability import MachineSpec
from tribal.prompt_templates import CONTRIBUTING, load_prompts
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import EVERYTHING as EVERY_TOOL
from tribal_contracts.contribution.cycles import CycleRecord

CONTRIBUTOR, PUBLISHER = "contributor", "publisher"
IMPATIENT = MachineSpec(name="cycles", job="cycle", most_calls=9, pause_seconds=0, longest_seconds=600)
SECRETS = {"tribal/shop/read": READ_TOKEN, "tribal/shop/write": WRITE_TOKEN}


def caller(name: str, *rights: str, scope: Scope | None = None) -> dict[str, str]:
    """What the authorizer says of a bearer of a token."""
    granted = write_rights(frozenset(f"contribution:{right}" for right in rights))
    return {"principalId": name, SCOPE: write_scope(scope or Scope(frozenset({"shop"}))), RIGHTS: granted}


ADA, BEA = caller("ada", "read", "prepare", "approve"), caller("bea", "read", "approve")


@dataclass
class Deployed:
    """Both functions, with their state machines, over one bucket, and the repository on GitHub."""

    account: Account
    apps: dict[str, Application]
    machines: dict[str, str]
    github: FakeGitHub
    calling: Lock = field(default_factory=Lock)

    @property
    def files(self) -> ContributionFiles:
        """The files of contributions."""
        return ContributionFiles(self.apps[CONTRIBUTOR].store())

    def record(self, cycle: int = 1) -> CycleRecord:
        """The record of a cycle."""
        return self.files.record(cycle)

    def call(self, function: str, event: dict[str, Any]) -> Any:
        """Call a function.

        An execution calls in a thread of its own, and both functions read one environment: one at a time.
        """
        with self.calling:
            os.environ["POWERTOOLS_SERVICE_NAME"] = function
            return handler.handle(event, Context())

    def ask(self, tool: str, arguments: Any, who: dict[str, str]) -> tuple[int, Any]:
        """What the contributor answers to a request for a tool."""
        answer = self.call(CONTRIBUTOR, api_request("POST", f"/v1/tools/{tool}", json.dumps(arguments), who))
        return answer["statusCode"], json.loads(answer["body"])

    def approve(self, who: dict[str, str], cycle: int = 1) -> tuple[int, Any]:
        """What the publisher answers to an approval."""
        body = json.dumps({"sha256": self.record(cycle).sha256})
        answer = self.call(PUBLISHER, api_request("POST", f"/v1/contributions/{cycle}/approval", body, who))
        return answer["statusCode"], json.loads(answer["body"])

    def scheduled(self, function: str, *, prepare: bool = False) -> Any:
        """What a function answers to its schedule."""
        return self.call(function, {"scheduled_at": "2026-11-23T08:00:00Z", "prepare": prepare})

    def ended(self, function: str, cycle: int = 1, approvals: int = 0) -> dict[str, Any]:
        """The execution of a cycle when it has ended."""
        name = f"{self.record(cycle).swarm_id}-{cycle}-{approvals}"
        return self.account.ended(self.machines[function].replace(":stateMachine:", ":execution:") + f":{name}")

    def prepared(self) -> CycleRecord:
        """A contribution of Ada's that waits for approval."""
        status, answer = self.ask("prepare_contribution", {}, ADA)
        assert (status, answer["state"]) == (200, "preparing")
        assert answer["message"] == "It is worked on in the background, and resumed if it is interrupted."
        assert self.ended(CONTRIBUTOR, answer["cycle"])["status"] == "SUCCEEDED"
        return self.record(answer["cycle"])

    @property
    def pulls(self) -> list[str]:
        """The branches of pull requests."""
        return [each.branch for each in self.github.pulls.found]


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a bucket holds after a documentation run, by key."""
    store = ShopWithClone(tmp_path_factory.mktemp("shop")).store
    return {key: store.get(key).data for key in store.keys("")}


@pytest.fixture(name="deployed")
def deployed_fixture(
    account: Account, documented: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Deployed]:
    github = FakeGitHub(FILES)
    github.tokens[READ_TOKEN] = dict(github.installed)
    entry = {"name": "migrations", "url": github.page, "api_url": github.api, "tarball_host": github.tarball_host}
    secrets = {"read_secret": "tribal/shop/read", "write_secret": "tribal/shop/write"}
    for name, value in {
        "AWS_REGION": REGION,
        "TRIBAL_STORE": f"s3://{BUCKET}",
        "TRIBAL_INDEX": "sqlite",
        "TRIBAL_CONTRIBUTION": json.dumps({"repositories": [{**entry, **secrets, "databases": ["shop"]}]}),
        "POWERTOOLS_SERVICE_NAME": CONTRIBUTOR,
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(handler.metrics.provider, "namespace", "Test")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, value in SECRETS.items():
        boto3.client("secretsmanager", region_name=REGION).create_secret(Name=name, SecretString=value)
    handler._tools.cache_clear()
    deployed = Deployed(account, {}, {}, github)
    for function in (CONTRIBUTOR, PUBLISHER):
        arn = account.add_function(function, partial(deployed.call, function))
        deployed.machines[function] = account.add_state_machine(function, job_definition(IMPATIENT, arn, 900))
        monkeypatch.setenv("TRIBAL_STATE_MACHINE", deployed.machines[function])
        deployed.apps[function] = deployed_application(load_deployment())
    for key, data in documented.items():
        deployed.apps[CONTRIBUTOR].store().put(key, data)
    monkeypatch.setattr(handler, "application", lambda: deployed.apps[handler._name()])
    yield deployed
    handler._tools.cache_clear()
    github.stop()


def test_a_contribution_goes_from_a_call_to_a_merge_and_someone_else_approves_it(deployed: Deployed) -> None:
    record = deployed.prepared()
    assert (record.state, record.prepared_by, deployed.pulls) == ("waiting", "subject:ada", [])
    _, shown = deployed.ask("get_contribution", {}, BEA)
    assert "COMMENT ON" in shown["diff"]
    status, refused = deployed.approve(ADA)
    assert (status, refused["error"]["code"]) == (403, "CON_ACCESS_DENIED")
    status, accepted = deployed.approve(BEA)
    assert (status, accepted["state"]) == (202, "publishing")
    assert deployed.ended(PUBLISHER, approvals=1)["status"] == "SUCCEEDED"
    assert (deployed.record().state, len(deployed.pulls)) == ("following", 1)
    assert "bea read and approved it" in deployed.github.pulls.found[0].body
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {"1": "following"}
    deployed.github.pulls.merge(deployed.github.pulls.found[0].number)
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {"1": "merged"}
    assert deployed.account.called(CONTRIBUTOR) == deployed.account.called(PUBLISHER) == [{"cycle": 1}]


def test_events_that_come_twice_or_late_change_nothing(deployed: Deployed) -> None:
    deployed.prepared()
    assert deployed.call(PUBLISHER, {"cycle": 1}) == {"status": "waiting"}
    assert deployed.call(CONTRIBUTOR, {"cycle": 1}) == {"status": "waiting"}
    assert deployed.approve(BEA)[0] == 202
    deployed.ended(PUBLISHER, approvals=1)
    before = deployed.record()
    status, again = deployed.approve(BEA)
    assert (status, again["error"]["code"]) == (409, "CON_ISSUE_UNSUITABLE")
    for function in (CONTRIBUTOR, PUBLISHER):
        assert deployed.call(function, {"cycle": 1}) == {"status": "following"}
    assert deployed.scheduled(PUBLISHER) == {"contributions": {}, "locked": 0, "failed": 0}
    assert (deployed.record(), len(deployed.pulls)) == (before, 1)
    assert len(deployed.account.executions(deployed.machines[PUBLISHER])) == 1


def test_an_approval_whose_start_was_lost_is_published_by_the_schedule(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed.prepared()
    boto3.client("stepfunctions", region_name=REGION).delete_state_machine(stateMachineArn=deployed.machines[PUBLISHER])
    assert deployed.approve(BEA)[0] >= 500
    assert (deployed.record().state, deployed.pulls) == ("publishing", [])
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {}
    assert deployed.call(CONTRIBUTOR, {"cycle": 1}) == {"status": "publishing"}
    assert deployed.pulls == []
    assert deployed.scheduled(PUBLISHER)["contributions"] == {"1": "following"}
    assert len(deployed.pulls) == 1


@pytest.mark.verify
def test_an_approval_after_which_the_publisher_died_is_published_by_the_schedule(deployed: Deployed) -> None:
    record = deployed.prepared()
    assert record.sha256 is not None
    app = deployed.apps[PUBLISHER]
    deployed.files.put_approval(new_approval(record, record.sha256, "subject:bea", app.clock.real(), ""))
    assert deployed.scheduled(PUBLISHER)["contributions"] == {}
    file = deployed.files.record_file(1)
    file.change(lambda latest: latest.model_copy(update={"approvals": 1}), file.read().record)
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {}
    assert deployed.scheduled(PUBLISHER)["contributions"] == {"1": "following"}
    assert len(deployed.pulls) == 1


@pytest.mark.verify
def test_what_cannot_be_published_waits_again_and_is_counted(
    deployed: Deployed, capsys: pytest.CaptureFixture[str]
) -> None:
    deployed.github.private, deployed.github.visibility = False, "public"
    deployed.prepared()
    deployed.approve(BEA)
    deployed.ended(PUBLISHER, approvals=1)
    assert (deployed.record().state, deployed.pulls) == ("waiting", [])
    assert counted(capsys.readouterr().out, "ContributionsFailed") == [0, 1]
    assert deployed.scheduled(PUBLISHER)["failed"] == 1


def test_a_preparation_whose_start_was_lost_is_finished_by_the_schedule(deployed: Deployed) -> None:
    boto3.client("stepfunctions", region_name=REGION).delete_state_machine(
        stateMachineArn=deployed.machines[CONTRIBUTOR]
    )
    assert deployed.ask("prepare_contribution", {}, ADA)[0] >= 500
    assert deployed.record().state == "preparing"
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {"1": "waiting"}
    assert deployed.record().prepared_by == "subject:ada"


def test_the_schedule_prepares_the_next_one_only_when_a_person_has_nothing_to_decide(deployed: Deployed) -> None:
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {}
    assert deployed.scheduled(CONTRIBUTOR, prepare=True)["contributions"] == {"1": "waiting"}
    assert deployed.record().prepared_by == "subject:schedule"
    assert deployed.scheduled(CONTRIBUTOR, prepare=True)["contributions"] == {}
    file = deployed.files.record_file(1)
    blocked = {"state": "ended", "outcome": "blocked"}
    file.change(lambda latest: latest.model_copy(update=blocked), file.read().record)
    assert deployed.scheduled(CONTRIBUTOR, prepare=True)["contributions"] == {}


@pytest.mark.verify
def test_a_limit_that_is_reached_leaves_the_look_complete(
    deployed: Deployed, capsys: pytest.CaptureFixture[str]
) -> None:
    deployed.prepared()
    file = deployed.files.record_file(1)
    published = {"state": "ended", "outcome": "merged", "published_at": deployed.record().updated_at}
    for number in range(1, 6):
        record = deployed.record().model_copy(update={"cycle": number, "descriptions": [], **published})
        (file.replace(file.read(), record) if number == 1 else deployed.files.record_file(number).create(record))
    capsys.readouterr()
    assert deployed.scheduled(CONTRIBUTOR, prepare=True) == {"contributions": {}, "locked": 0, "failed": 0}
    assert counted(capsys.readouterr().out, "SchedulesDone") == [1]


def test_a_caller_gets_an_error_before_api_gateway_gives_up(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "CALL_SECONDS", 0.0)
    status, refused = deployed.ask("prepare_contribution", {}, ADA)
    assert (status, refused["error"]["code"]) == (504, "CON_AGENT_TIMEOUT")
    assert deployed.files.numbers() == []


@pytest.mark.verify
def test_the_schedule_counts_only_a_complete_look(deployed: Deployed, capsys: pytest.CaptureFixture[str]) -> None:
    deployed.prepared()
    deployed.approve(BEA)
    deployed.ended(PUBLISHER, approvals=1)
    deployed.github.tokens.pop(READ_TOKEN)
    capsys.readouterr()
    assert deployed.scheduled(CONTRIBUTOR)["failed"] == 1
    assert counted(capsys.readouterr().out, "SchedulesDone") == [0]
    new_token = "github_pat_new"
    deployed.github.tokens[new_token] = dict(deployed.github.installed)
    boto3.client("secretsmanager", region_name=REGION).put_secret_value(
        SecretId="tribal/shop/read", SecretString=new_token
    )
    assert deployed.scheduled(CONTRIBUTOR)["failed"] == 0
    assert counted(capsys.readouterr().out, "SchedulesDone") == [1]


def test_another_team_and_a_caller_without_the_right_approve_nothing(deployed: Deployed) -> None:
    deployed.prepared()
    assert deployed.approve(caller("cem", "read", "prepare"))[0] == 403
    assert deployed.approve(caller("cem", "approve", scope=Scope(frozenset({"other"}))))[0] == 404
    assert (deployed.record().approvals, deployed.pulls) == (0, [])


def test_each_function_answers_what_is_its_own_and_nothing_else(deployed: Deployed) -> None:
    for tool in EVERY_TOOL.tools:
        for function in (CONTRIBUTOR, PUBLISHER):
            answer = deployed.call(function, api_request("POST", f"/v1/tools/{tool}", "{}", ADA))
            unknown = answer["statusCode"] == 404 and "HTTP_NOT_FOUND" in answer["body"]
            assert unknown == (tool not in answered_by().get(function, ())), (function, tool)
    event = api_request("POST", "/v1/contributions/1/approval", json.dumps({"sha256": "0" * 64}), BEA)
    assert "HTTP_NOT_FOUND" in deployed.call(CONTRIBUTOR, event)["body"]


def by_iam(user: str, method: str, path: str, body: Any) -> dict[str, Any]:
    """A request that a user has signed."""
    event = api_request(method, path, json.dumps(body), None)
    event["requestContext"]["identity"]["userArn"] = f"arn:aws:iam::123456789012:user/{user}"
    return event


def test_answers_to_a_review_of_what_a_model_wrote_are_approved_and_published_too(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIBAL_IAM_RIGHTS", "contribution:approve")
    deployed.github.objects.commit(PACKAGE)
    deployed.github.tokens[READ_TOKEN] = {**deployed.github.installed, "issues": "read"}
    mind = Mind(review=(CHANGED,))
    use_model(deployed, mind)
    url = deployed.github.pulls.ask(7, TITLE, BODY)
    answer = deployed.call(CONTRIBUTOR, by_iam("ada", "POST", "/v1/tools/prepare_contribution", {"issue": url}))
    assert (answer["statusCode"], json.loads(answer["body"])["state"]) == (200, "preparing")
    assert deployed.ended(CONTRIBUTOR)["status"] == "SUCCEEDED"
    approve_shown(deployed, 1)
    [pull] = deployed.github.pulls.found
    assert pull.draft
    pull.say("cem", "Please name the price in the message.", "pricing/prices.py", 7)
    asked = len(mind.asked)
    assert deployed.scheduled(PUBLISHER)["contributions"] == {}
    assert len(mind.asked) == asked
    assert deployed.scheduled(CONTRIBUTOR)["contributions"] == {"1": "following"}
    assert len(pull.line_comments) == 1
    deployed.github.tokens[WRITE_TOKEN] = {}
    approve_shown(deployed, 2)
    assert len(pull.line_comments) == 1
    deployed.github.tokens[WRITE_TOKEN] = dict(WRITES)
    assert deployed.scheduled(PUBLISHER) == {"contributions": {"1": "following"}, "locked": 0, "failed": 0}
    assert pull.line_comments[1]["body"].startswith("The message names the price now.")
    assert deployed.scheduled(PUBLISHER)["contributions"] == {}
    assert len(pull.line_comments) == 2


def use_model(deployed: Deployed, mind: Mind) -> None:
    """Give the contributor a model that answers by a script; the publisher has none."""
    app = deployed.apps[CONTRIBUTOR]
    parts = contribution_parts(app)
    settings = parts.settings.model_copy(update={"model": "writer"})
    models = WritingModels(settings, ScriptedSource(mind), lambda: load_prompts(templates=CONTRIBUTING))

    def for_call(stop: StopToken) -> ContributionParts:
        assert parts.for_call is not None
        return replace(parts.for_call(stop), settings=settings, models=models)

    deployed.apps[CONTRIBUTOR] = app.with_part(replace(parts, for_call=for_call))


def approve_shown(deployed: Deployed, approvals: int) -> None:
    """Have Bea approve what is shown, and wait until the state machine has ended."""
    shown = deployed.call(CONTRIBUTOR, by_iam("bea", "POST", "/v1/tools/get_contribution", {}))
    approved = {"sha256": json.loads(shown["body"])["sha256"]}
    answer = deployed.call(PUBLISHER, by_iam("bea", "POST", "/v1/contributions/1/approval", approved))
    assert answer["statusCode"] == 202, answer["body"]
    assert deployed.ended(PUBLISHER, approvals=approvals)["status"] == "SUCCEEDED"
