"""The chat in AWS: questions over the API in pieces or in one, the tool `ask`, and what is measured of answers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.chat import handler
from functions.chat.measuring import measure_spending
from functions.scopes import RIGHTS, SCOPE, write_rights, write_scope
from tests.fakes import MemoryStore
from tests.functions.calls import Context, api_request
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.published import PublishedSqliteIndex
from tribal.app.deployed import deployed_application
from tribal.edges.http.messages import EVENT_STREAM, Response
from tribal.identity.scope import Scope
from tribal.ports import Application, StopToken
from tribal.settings.deployment import load_deployment
from tribal_contracts import BudgetRecord

BUCKET, REGION = "a-company-knowledge", "eu-central-1"
PATH = "/api/chat/stream"
QUESTION = "How many customers are there in each region?"
SPENT = {
    "schema_version": "1.0",
    "day": "2026-11-28",
    "day_spend": {"settled_nanodollars": 3_000_000_000},
    "run_id": "r",
    "run_spend": {},
    "accounts": {
        name: {"spend": {}, "day_spend": {"settled_nanodollars": spent}, "updated_at": "2026-11-28T00:00:00Z"}
        for name, spent in (("chat:1", 500_000_000), ("chat:2", 250_000_000), ("upload:1", 2_000_000_000))
    },
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a bucket holds after a documentation run and its indexing, by key."""
    store = MemoryStore()
    write_documentation(store, shop_tables())
    index_all(store, PublishedSqliteIndex(store, tmp_path_factory.mktemp("index")))
    return {key: store.get(key).data for key in store.keys("")}


@pytest.fixture(name="app", autouse=True)
def app_fixture(
    aws_account: None, indexed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Application]:
    """The function over a bucket with an index, without models."""
    for name, value in {
        "AWS_REGION": REGION,
        "TRIBAL_STORE": f"s3://{BUCKET}",
        "TRIBAL_INDEX": "sqlite",
        "TRIBAL_CHAT": "{}",
        "POWERTOOLS_SERVICE_NAME": "chat",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(handler.metrics.provider, "namespace", "Test")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    forget()
    with mock_aws():
        place = {"LocationConstraint": REGION}
        boto3.client("s3", region_name=REGION).create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)
        app = deployed_application(load_deployment())
        for key, data in indexed.items():
            app.store().put(key, data)
        monkeypatch.setattr(handler, "application", lambda: app)
        yield app
    forget()


def forget() -> None:
    """Have the handler read its environment again."""
    for each in (handler._tools, handler._deployment, handler._routes):
        each.cache_clear()


def caller(*databases: str, rights: tuple[str, ...] = ("documentation:read",)) -> dict[str, str]:
    """What the authorizer says of a bearer of a token."""
    scope = Scope(frozenset(databases or ("shop",)))
    return {"principalId": "ada", SCOPE: write_scope(scope), RIGHTS: write_rights(frozenset(rights))}


def request(question: str, who: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """A question as API Gateway hands it over."""
    body = {"messages": [{"role": "user", "content": question}], **more}
    return api_request("POST", PATH, json.dumps(body), who or caller())


def streamed(event: dict[str, Any]) -> tuple[Response, list[dict[str, Any]]]:
    """The answer in pieces, and its events."""
    response = handler.stream(event, Context())
    assert isinstance(response, Response)
    assert response.events is not None
    return response, events_in(b"".join(response.events(StopToken())))


def events_in(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(part.removeprefix("data: ")) for part in body.decode().split("\n\n") if part]


def measured(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The metrics that were printed since the last call."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith('{"_aws"')]
    return [{name: value for name, value in line.items() if name not in ("_aws", "service")} for line in lines]


def test_a_question_is_answered_in_pieces_from_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    response, events = streamed(request(QUESTION))
    assert (response.status, response.content_type, response.headers["X-Request-Id"]) == (200, EVENT_STREAM, "r")
    (sources,) = [each["sources"] for each in events if each["type"] == "sources"]
    assert any("customer" in each["source_filename"] for each in sources)
    assert (events[-1]["type"], events[-1]["finish_reason"]) == ("finish", "stop")
    metrics = measured(capsys)
    assert {"Answers": [1.0], "AnswersFailed": [0.0], "StreamsCutOff": [0.0]} in metrics
    assert {"ToolErrors": [0.0], "ChatFaults": [0.0]} in metrics


def test_without_streaming_the_same_bytes_are_sent_at_the_end() -> None:
    answer = handler.handle(request(QUESTION), Context())
    assert (answer["statusCode"], answer["multiValueHeaders"]["Content-Type"]) == (200, [EVENT_STREAM])
    assert events_in(answer["body"].encode()) == streamed(request(QUESTION))[1]


def test_a_refusal_is_counted_by_its_law(capsys: pytest.CaptureFixture[str]) -> None:
    _, events = streamed(request("What will the weather in Lisbon be tomorrow?"))
    assert events[-1]["governor"]["law_violated"] == "scope"
    assert [each for each in measured(capsys) if "law" in each] == [{"law": "scope", "Refusals": [1.0]}]


def test_an_answer_whose_client_disconnects_is_counted_as_cut_off(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    response = handler.stream(request(QUESTION), Context())
    assert isinstance(response, Response)
    assert response.events is not None
    pieces = response.events(StopToken())
    next(pieces)
    pieces.close()
    assert {"Answers": [0.0], "AnswersFailed": [0.0], "StreamsCutOff": [1.0]} in measured(capsys)
    assert [each.__dict__["status"] for each in caplog.records if each.message == "request"] == [499]


def test_a_request_that_is_refused_is_answered_whole() -> None:
    for event, status, code in (
        (request(" "), 400, "CHAT_QUESTION_INVALID"),
        (request(QUESTION, collection="other"), 404, "CHAT_COLLECTION_NOT_FOUND"),
        (request(QUESTION, caller(rights=())), 403, "CHAT_ACCESS_DENIED"),
    ):
        response = handler.stream(event, Context())
        assert isinstance(response, Response)
        assert (response.status, response.events) == (status, None)
        assert json.loads(response.body)["error"]["code"] == code


def test_a_caller_sees_only_what_is_in_scope() -> None:
    _, events = streamed(request(QUESTION, caller("other")))
    assert "shop" not in json.dumps(events)


def test_the_tool_is_answered_whole_in_both_ways() -> None:
    event = api_request("POST", "/v1/tools/ask", json.dumps({"question": QUESTION}), caller())
    for way in (handler.handle, handler.stream):
        answer = way(event, Context())
        assert isinstance(answer, dict)
        assert (answer["statusCode"], json.loads(answer["body"])["success"]) == (200, True)


def test_spending_is_measured_by_the_kind_of_its_account(
    app: Application, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure_spending(BudgetRecord.model_validate(SPENT))
    expected = [
        {"account": "chat", "SpentUsd": [0.75]},
        {"account": "upload", "SpentUsd": [2.0]},
        {"account": "all", "SpentUsd": [3.0]},
    ]
    assert measured(capsys) == expected
    app.store().put("progress/budget.json", json.dumps(SPENT).encode())
    monkeypatch.setenv("TRIBAL_CHAT", json.dumps({"collections": [{"name": "a", "models": ["small"]}]}))
    handler._deployment.cache_clear()
    streamed(request(QUESTION))
    assert [each for each in measured(capsys) if "account" in each] == expected
