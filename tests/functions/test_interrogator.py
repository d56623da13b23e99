"""Interrogations in AWS: the tools over the API, sessions in their state machine, and what ends them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest

from functions.interrogator import handler
from functions.offering import answered_by
from functions.scopes import RIGHTS, SCOPE, write_rights, write_scope
from infra.stacks.job_machine import job_definition
from tests.fakes import MemoryStore
from tests.functions.calls import Context, api_request
from tests.infra.state_machines import BUCKET, REGION, Account
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.published import PublishedSqliteIndex
from tribal.answering.documentation import Documentation
from tribal.app.deployed import deployed_application
from tribal.app.interrogation import launch_session
from tribal.capabilities.interrogation.asking_models.model_parties import ModelParties
from tribal.capabilities.interrogation.interrogations import Interrogations
from tribal.capabilities.interrogation.parts import InterrogationParts
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.transitions import fail, hold
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller
from tribal.ports.capability import MachineSpec
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import EVERYTHING as EVERY_TOOL
from tribal_contracts import ModelQuote

HYPOTHESIS = {"hypothesis": "How many customers are there in each region?"}
ARN = f"arn:aws:iam::{123456789012}:user/ada"
LATER = "2100-01-01T00:00:00Z"
IMPATIENT = MachineSpec(name="sessions", job="session_id", most_calls=60, pause_seconds=0, longest_seconds=600)
RIGHTS_TO_ALL = ("interrogation:start", "interrogation:read")


def caller(name: str, *databases: str, rights: tuple[str, ...] = RIGHTS_TO_ALL) -> dict[str, str]:
    """What the authorizer says of a bearer of a token."""
    scope = Scope(frozenset(databases or ("shop",)))
    return {"principalId": name, SCOPE: write_scope(scope), RIGHTS: write_rights(frozenset(rights))}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a bucket holds after a documentation run and its indexing, by key."""
    store = MemoryStore()
    write_documentation(store, shop_tables())
    index_all(store, PublishedSqliteIndex(store, tmp_path_factory.mktemp("index")))
    return {key: store.get(key).data for key in store.keys("")}


@pytest.fixture(name="app", autouse=True)
def app_fixture(
    account: Account, indexed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Application]:
    """The function over a bucket with an index; rules ask and answer."""
    for name, value in {
        "AWS_REGION": REGION,
        "TRIBAL_STORE": f"s3://{BUCKET}",
        "TRIBAL_INDEX": "sqlite",
        "POWERTOOLS_SERVICE_NAME": "interrogator",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(handler.metrics.provider, "namespace", "Test")
    forget()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    app = deployed_application(load_deployment())
    for key, data in indexed.items():
        app.store().put(key, data)
    monkeypatch.setattr(handler, "application", lambda: app)
    yield app
    forget()


def forget() -> None:
    """Have the handler read its environment again."""
    handler._tools.cache_clear()
    handler._deployment.cache_clear()


def asked(tool: str, arguments: Any, who: dict[str, str] | None) -> tuple[int, Any]:
    """What the function answers to a request of API Gateway."""
    event = api_request("POST", f"/v1/tools/{tool}", json.dumps(arguments), who)
    if who is None:
        event["requestContext"]["identity"]["userArn"] = ARN
    answer = handler.handle(event, Context())
    return answer["statusCode"], json.loads(answer["body"])


def rules_by_model(_: str, documentation: Documentation) -> ModelParties:
    """The parties of a session that goes on in the background, in which the rules ask and answer all the same."""
    return ModelParties(detective=None, witness=None, scope=documentation.caller.scope, providers=(), step_seconds=0.2)


def no_quote(_: int, __: int) -> ModelQuote:
    """Rules cost nothing."""
    return ModelQuote()


@dataclass
class Background:
    """The state machine, which calls the function, and how much time its calls have."""

    account: Account
    machine: str
    remaining_ms: list[int] = field(default_factory=list)
    """Of the first calls; those after them have enough."""

    def call(self, event: dict[str, Any]) -> Any:
        """The function, called by the state machine."""
        return handler.handle(event, Context(self.remaining_ms.pop(0) if self.remaining_ms else 900_000))

    def ended(self, session_id: str) -> dict[str, Any]:
        """The execution of a session when it has ended."""
        return self.account.ended(self.machine.replace(":stateMachine:", ":execution:") + f":{session_id}")


@pytest.fixture(name="background")
def background_fixture(account: Account, app: Application, monkeypatch: pytest.MonkeyPatch) -> Background:
    """The function where models are configured, with its state machine."""
    background = Background(account, "")
    function = account.add_function("interrogator", background.call)
    background.machine = account.add_state_machine("sessions", job_definition(IMPATIENT, function, 900))
    monkeypatch.setenv("TRIBAL_STATE_MACHINE", background.machine)
    launch = partial(launch_session, load_deployment())
    parts = InterrogationParts(parties=rules_by_model, quote=no_quote, launch=launch)
    monkeypatch.setattr(handler, "application", lambda: app.with_part(parts))
    return background


def saved(app: Application, subject: str = "ada") -> str:
    """A session that no one runs."""
    service = Interrogations(app, Caller(subject))
    return service.sessions.create(service.new(HYPOTHESIS["hypothesis"])).record.id


def counted(output: str, name: str) -> list[float]:
    """The values of a metric, call by call, as CloudWatch reads them."""
    lines = [json.loads(line) for line in output.splitlines() if f'"{name}"' in line]
    return [value for line in lines for value in line[name]]


def test_without_models_a_session_ends_within_the_call_and_is_shown_and_listed() -> None:
    ada = caller("ada")
    status, started = asked("start_interrogation", HYPOTHESIS, ada)
    assert (status, started["status"] in ("completed", "limit-reached")) == (200, True)
    _, shown = asked("get_interrogation", {"sessionId": started["sessionId"]}, ada)
    assert (shown["session"]["owner"], shown["total"] > 0) == ("ada", True)
    call = {"tool": "list_interrogations", "arguments": {}, "caller": {"subject": "ada", "rights": [*RIGHTS_TO_ALL]}}
    listed = handler.handle({"tool_call": call}, Context())
    assert [each["id"] for each in listed["sessions"]] == [started["sessionId"]]
    _, stopped = asked("stop_interrogation", {"sessionId": started["sessionId"]}, ada)
    assert (stopped["status"], stopped["stopping"]) == (started["status"], False)


def test_with_models_the_state_machine_runs_the_session_to_its_end(background: Background) -> None:
    ada = caller("ada")
    status, started = asked("start_interrogation", HYPOTHESIS, ada)
    assert (status, started["status"]) == (200, "running")
    assert background.ended(started["sessionId"])["status"] == "SUCCEEDED"
    assert background.account.executions(background.machine) == [started["sessionId"]]
    _, shown = asked("get_interrogation", {"sessionId": started["sessionId"]}, ada)
    assert shown["session"]["status"] in ("completed", "limit-reached")
    assert shown["total"] > 0
    assert background.account.called("interrogator") == [{"session_id": started["sessionId"]}]


def test_a_session_that_is_launched_again_still_runs_once(background: Background, app: Application) -> None:
    session_id = saved(app)
    for _ in range(2):
        launch_session(load_deployment(), session_id)
        background.ended(session_id)
    assert background.account.executions(background.machine) == [session_id]
    assert len(background.account.called("interrogator")) == 1


def test_a_session_that_runs_out_of_time_is_resumed_by_the_next_call(background: Background, app: Application) -> None:
    session_id = saved(app)
    background.remaining_ms = [5_100, 5_100]
    launch_session(load_deployment(), session_id)
    assert background.ended(session_id)["status"] == "SUCCEEDED"
    assert len(background.account.called("interrogator")) == 3
    assert not Sessions(app.store()).read(session_id).record.is_running


def test_a_session_that_another_process_holds_is_called_for_again(app: Application) -> None:
    session_id, sessions = saved(app), Sessions(app.store())
    stored = sessions.read(session_id)
    sessions.replace(stored, hold(stored.record, "another", LATER))
    assert handler.handle({"session_id": session_id}, Context()) == {"status": "running"}


def test_one_that_never_ends_is_given_up(
    background: Background, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = job_definition(replace(IMPATIENT, most_calls=3), background.account.arn("interrogator"), 900)
    background.machine = background.account.add_state_machine("impatient", again)
    monkeypatch.setenv("TRIBAL_STATE_MACHINE", background.machine)
    session_id = saved(app)
    background.remaining_ms = [5_100] * 10
    launch_session(load_deployment(), session_id)
    execution = background.ended(session_id)
    assert (execution["status"], execution["error"]) == ("FAILED", "JobStuck")
    assert len(background.account.called("interrogator")) == 3
    assert Sessions(app.store()).read(session_id).record.is_running


def test_one_that_was_removed_or_has_ended_is_done_and_one_that_fails_is_counted(
    app: Application, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = Sessions(app.store())
    failed, stopped = saved(app), saved(app)
    stored = sessions.read(failed)
    sessions.replace(stored, fail(stored.record, "INT_DETECTIVE_UNREACHABLE: no provider is left", LATER))
    Interrogations(app, Caller("ada")).stop(stopped)
    capsys.readouterr()
    ids = (failed, stopped, "00000000-0000-4000-8000-000000000000")
    results = [handler.handle({"session_id": session_id}, Context())["status"] for session_id in ids]
    assert results == ["failed", "failed", "removed"]
    assert counted(capsys.readouterr().out, "SessionsFailed") == [1, 0, 0]


def test_a_session_runs_for_its_owner_and_reads_what_its_own_scope_shows(
    background: Background, app: Application
) -> None:
    _, started = asked("start_interrogation", HYPOTHESIS, caller("ada", "web"))
    background.ended(started["sessionId"])
    session = Sessions(app.store()).read(started["sessionId"]).record
    assert (session.owner, session.is_running) == ("ada", False)
    assert "shop." not in session.to_json().decode()
    status, refused = asked("get_interrogation", {"sessionId": session.id}, caller("eve", "shop"))
    assert (status, refused["error"]["code"]) == (404, "INT_SESSION_NOT_FOUND")


def test_no_request_of_the_api_is_taken_for_a_call_of_the_state_machine(app: Application) -> None:
    session_id = saved(app)
    event = api_request("POST", "/v1/tools/get_interrogation", json.dumps({"session_id": session_id}), caller("ada"))
    assert handler.handle({**event, "session_id": session_id}, Context())["statusCode"] == 200
    assert not Sessions(app.store()).read(session_id).record.qa_pairs


def test_callers_who_sign_start_sessions_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    status, refused = asked("start_interrogation", HYPOTHESIS, None)
    assert (status, refused["error"]["code"]) == (403, "INT_ACCESS_DENIED")
    monkeypatch.setenv("TRIBAL_IAM_RIGHTS", "interrogation:start")
    assert asked("start_interrogation", HYPOTHESIS, None)[0] == 200


def test_a_bearer_without_the_right_starts_nothing(app: Application) -> None:
    assert asked("start_interrogation", HYPOTHESIS, caller("ada", rights=("interrogation:read",)))[0] == 403
    assert Sessions(app.store()).newest_first() == []


def test_the_function_answers_its_own_tools_and_no_others() -> None:
    for tool in EVERY_TOOL.tools:
        status, told = asked(tool, {}, caller("ada"))
        known = status != 404 or told.get("error", {}).get("code") != "HTTP_NOT_FOUND"
        assert known == (tool in answered_by()["interrogator"]), tool


def test_a_session_that_cannot_be_launched_is_not_left_behind(
    background: Background, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRIBAL_STATE_MACHINE")
    launch = partial(launch_session, load_deployment())
    parts = InterrogationParts(parties=rules_by_model, quote=no_quote, launch=launch)
    monkeypatch.setattr(handler, "application", lambda: app.with_part(parts))
    status, told = asked("start_interrogation", HYPOTHESIS, caller("ada"))
    assert (status >= 400, "TRIBAL_STATE_MACHINE is not set" in told["error"]["message"]) == (True, True)
    assert Sessions(app.store()).newest_first() == []


def test_only_the_object_of_a_session_is_written(app: Application) -> None:
    s3 = boto3.client("s3", region_name=REGION)

    def keys() -> dict[str, str]:
        return {each["Key"]: each["ETag"] for each in s3.list_objects_v2(Bucket=BUCKET)["Contents"]}

    before = keys()
    _, started = asked("start_interrogation", HYPOTHESIS, caller("ada"))
    changed = {key for key, etag in keys().items() if before.get(key) != etag}
    (own,) = changed - {"sessions/open-gaps.json"}
    assert own.startswith(f"sessions/session_{started['sessionId']}_")


def test_an_answer_is_marked_and_the_mark_closed_by_who_sees_as_much(app: Application) -> None:
    ada, eve = caller("ada"), caller("eve", "web")
    before = {*app.store().keys("")}
    arguments = {"question": "Who pays?", "why": "It leaves out credit notes.", "tables": ["shop.crm.customer"]}
    assert asked("mark_answer", arguments, eve)[0] == 404
    status, marked = asked("mark_answer", arguments, ada)
    assert (status, marked["tables"]) == (200, ["shop.crm.customer"])
    (own,) = {*app.store().keys("")} - before - {"sessions/open-gaps.json"}
    assert own.startswith(f"sessions/mark_{marked['mark']}_")
    status, refused = asked("close_mark", {"mark": marked["mark"]}, eve)
    assert (status, refused["error"]["code"]) == (404, "INT_SESSION_NOT_FOUND")
    assert asked("close_mark", {"mark": marked["mark"]}, caller("bob", rights=("interrogation:read",)))[0] == 403
    assert asked("close_mark", {"mark": marked["mark"]}, caller("bob"))[0] == 200
    assert own not in app.store().keys("")
