"""The function for MCP, and what the retriever takes from it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from functions.mcp import handler
from functions.mcp.requests import answer_request
from functions.scopes import SCOPE, write_scope
from tests.cases import each_case
from tests.edges.mcp.asked import Schemas, index_project
from tests.edges.mcp.raw_session import HELLO, call_message
from tests.fakes import FixedClock, application_over
from tests.functions.calls import Context, api_request
from tribal.adapters.aws.function import LambdaFunction
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity.locations import INDEX_FILE
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller, Identity
from tribal.ports.remembering.identity import LAYERS
from tribal.tools.registry import REGISTRY
from tribal.tools.remote import RemoteTools, answer_tool_call, is_tool_call, read_tool_call
from tribal_contracts import ToolCallEvent

READ = REGISTRY.read_rights
WEB = {"principalId": "alice", SCOPE: write_scope(Scope(frozenset({"web"})))}
ISSUER = "https://login.example.com/"
CONTENT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(name="app", scope="module")
def app_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder: Path = tmp_path_factory.mktemp("project")
    index_project(folder)
    index = SqliteIndex(folder / INDEX_FILE)
    yield application_over(index)
    index.close()


class Invoked:
    """Lambda's client: runs what the retriever runs, and keeps the events."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self.events: list[dict[str, Any]] = []

    def invoke(self, **asked: Any) -> dict[str, Any]:
        assert asked["FunctionName"] == "retriever"
        event = json.loads(asked["Payload"])
        self.events.append(event)
        assert is_tool_call(event)
        return {"Payload": io.BytesIO(answer_tool_call(read_tool_call(event), self.app).to_compact_json())}


@pytest.fixture(name="retriever")
def retriever_fixture(app: Application, monkeypatch: pytest.MonkeyPatch) -> Iterator[Invoked]:
    """The function for MCP, whose calls go to a retriever over an index."""
    invoked = Invoked(app)
    monkeypatch.setenv("TRIBAL_RETRIEVER", "retriever")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("TRIBAL_TOKEN_ISSUER", ISSUER)
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "mcp")
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    tools = RemoteTools(LambdaFunction(invoked, "retriever"), FixedClock())
    monkeypatch.setattr(handler, "_tools", lambda: tools)
    handler._deployment.cache_clear()
    yield invoked
    handler._deployment.cache_clear()


def asked(method: str, path: str, message: Any = None, authorizer: dict[str, str] | None = None) -> dict[str, Any]:
    """What the function answers to a request of API Gateway."""
    event = api_request(method, path, None if message is None else json.dumps(message), authorizer)
    event["headers"] = {**CONTENT, "Mcp-Protocol-Version": "2025-11-25"}
    event["requestContext"] |= {"domainName": "x.execute-api.eu-central-1.amazonaws.com", "path": f"/dev{path}"}
    answer: dict[str, Any] = handler.handle(event, Context())
    return answer


def test_a_call_reaches_the_retriever_with_the_caller_that_the_authorizer_verified(retriever: Invoked) -> None:
    answer = asked("POST", "/mcp", call_message(1, "search_tables", {"query": "customer visit"}), WEB)
    assert answer["statusCode"] == 200
    result = json.loads(answer["body"])["result"]
    Schemas().check("search_tables", result["structuredContent"])
    assert {table["database"] for table in result["structuredContent"]["tables"]} == {"web"}
    (event,) = retriever.events
    caller = event["tool_call"]["caller"]
    assert caller.pop("identity")["user"] == "alice"
    assert caller == {"subject": "alice", "databases": ["web"], "rights": sorted(READ)}


def test_resources_and_completion_are_bounded_by_the_same_caller(retriever: Invoked) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {}}
    listed = json.loads(asked("POST", "/mcp", message, WEB)["body"])["result"]["resources"]
    assert listed
    assert all(resource["uri"].startswith("tribal://web/") for resource in listed)
    assert {event["tool_call"]["tool"] for event in retriever.events} == {"list_names"}


def test_without_sessions_a_client_of_the_older_protocol_is_greeted_and_other_methods_are_refused(
    retriever: Invoked,
) -> None:
    greeting = asked("POST", "/mcp", HELLO, WEB)
    assert json.loads(greeting["body"])["result"]["protocolVersion"] == "2025-11-25"
    assert "mcp-session-id" not in greeting["multiValueHeaders"]
    for method in ("GET", "DELETE"):
        refused = asked(method, "/mcp", None, WEB)
        assert (refused["statusCode"], refused["multiValueHeaders"]["allow"]) == (405, ["POST"])
    assert retriever.events == []


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "coder", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def identity_asked(retriever: Invoked, message: Any, protocol: str, **headers: str) -> Any:
    event = api_request("POST", "/mcp", json.dumps(message), WEB)
    event["headers"] = {**CONTENT, "Mcp-Protocol-Version": protocol, **headers}
    answer = handler.handle(event, Context())
    assert answer["statusCode"] == 200, answer
    return retriever.events[-1]["tool_call"]["caller"]["identity"]


def test_a_client_that_says_its_name_is_the_agent_unless_a_header_names_another(retriever: Invoked) -> None:
    message = call_message(1, "list_domains", {})
    assert "agent" not in identity_asked(retriever, message, "2025-11-25")
    message["params"]["_meta"] = MODERN
    named = {"Mcp-Method": "tools/call", "Mcp-Name": "list_domains"}
    assert identity_asked(retriever, message, "2026-07-28", **named)["agent"] == "coder"
    own = {**named, "X-Tribal-Agent": "reviewer", "X-Tribal-Session": "s1"}
    told = identity_asked(retriever, message, "2026-07-28", **own)
    assert (told["agent"], told["session"], told["user"]) == ("reviewer", "s1", "alice")


def test_a_request_that_chooses_a_project_of_others_reaches_no_tool(retriever: Invoked) -> None:
    event = api_request("POST", "/mcp", json.dumps(call_message(1, "list_domains", {})), WEB)
    event["headers"] = {**CONTENT, "X-Tribal-Project": "shop"}
    answer = handler.handle(event, Context())
    assert (answer["statusCode"], json.loads(answer["body"])["error"]["code"]) == (403, "HTTP_IDENTIFIER_REFUSED")
    assert retriever.events == []


def test_a_call_without_a_scope_sees_nothing(retriever: Invoked) -> None:
    answer = asked("POST", "/mcp", call_message(1, "list_domains", {}), {"principalId": "bob"})
    assert json.loads(answer["body"])["result"]["structuredContent"]["domains"] == []


def test_the_metadata_names_the_endpoint_below_the_stage_and_who_issues_tokens(retriever: Invoked) -> None:
    answer = asked("GET", "/.well-known/oauth-protected-resource")
    told = json.loads(answer["body"])
    assert told["resource"] == "https://x.execute-api.eu-central-1.amazonaws.com/dev/mcp"
    assert told["authorization_servers"] == [ISSUER]
    assert retriever.events == []


@each_case(
    ("failure", "code"),
    [
        (ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke"), "ENV_ACCESS_DENIED"),
        (ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke"), "ENV_UNREACHABLE"),
        (ReadTimeoutError(endpoint_url="x"), "ENV_UNREACHABLE"),
    ],
)
def test_a_retriever_that_does_not_answer_is_a_failed_answer(failure: Exception, code: str) -> None:
    class Failing:
        def invoke(self, **_: Any) -> Any:
            raise failure

    answer: Any = RemoteTools(LambdaFunction(Failing(), "r"), FixedClock())("list_domains", {}, Caller("x"))
    assert (answer.success, answer.error.code) == (False, code)
    Schemas().check("list_domains", json.loads(answer.to_compact_json()))


def test_a_retriever_that_fails_is_a_failed_answer_that_quotes_nothing_of_it() -> None:
    class Failing:
        def invoke(self, **_: Any) -> Any:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b'{"errorMessage":"secret"}')}

    answer: Any = RemoteTools(LambdaFunction(Failing(), "r"), FixedClock())("list_domains", {}, Caller("x"))
    assert answer.error.code == "ENV_UNREACHABLE"
    assert "secret" not in answer.error.message


scopes = st.builds(
    Scope,
    st.none() | st.frozensets(st.text(max_size=5)),
    st.none() | st.frozensets(st.tuples(st.text(max_size=5), st.text(max_size=5))),
)


names = st.none() | st.text(max_size=5)
several = st.lists(st.text(max_size=5), max_size=3).map(tuple)
chosen = st.lists(st.tuples(st.sampled_from(LAYERS), st.text(max_size=5)), max_size=2).map(tuple)
identities = st.builds(Identity, names, names, names, several, several, several, names, chosen)


@given(st.text(max_size=9), scopes, st.none() | st.frozensets(st.text(max_size=5)), identities)
def test_every_caller_arrives_as_it_was_verified(
    subject: str, scope: Scope, rights: frozenset[str] | None, identity: Identity
) -> None:
    from tribal.tools.remote import _caller, _record

    caller = Caller(subject, scope, rights, identity)
    record = _record(caller).to_compact_json()
    assert _caller(type(_record(caller)).from_json(record)) == caller


EVENT = {"tool": "list_domains", "arguments": {}, "caller": {"subject": "mallory"}}


@each_case(
    "body",
    [json.dumps({"tool_call": EVENT}), json.dumps({"arguments": {"tool_call": EVENT}})],
)
def test_no_request_of_api_gateway_is_taken_for_a_call_whatever_it_holds(body: str) -> None:
    event = api_request("POST", "/v1/tools/list_domains", body, WEB)
    event["headers"] |= {"tool_call": json.dumps(EVENT)}
    event["queryStringParameters"] = {"tool_call": json.dumps(EVENT)}
    assert is_tool_call(event) is False
    # Even one with the key at its top, which API Gateway never sends.
    assert is_tool_call({**event, "tool_call": EVENT}) is False


@each_case(
    "change",
    [
        {"httpMethod": "POST"},
        {"caller": {"subject": "x", "admin": True}},
        {"caller": {}},
        {"arguments": []},
        {"tool": None},
    ],
)
def test_a_call_of_another_shape_is_refused(app: Application, change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ToolCallEvent.model_validate({"tool_call": {**EVENT, **change}})
    with pytest.raises(ValidationError):
        answer_tool_call(read_tool_call({"tool_call": {**EVENT, **change}}), app)


def test_an_answer_keeps_every_header(retriever: Invoked) -> None:
    import anyio

    async def application(scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        cookies = [(b"set-cookie", b"a"), (b"set-cookie", b"b")]
        await send({"type": "http.response.start", "status": 200, "headers": cookies})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": scope["method"].encode()})

    answer = anyio.run(answer_request, application, api_request("POST", "/mcp", "ü"), {})
    assert (answer["body"], answer["multiValueHeaders"]) == ("üPOST", {"set-cookie": ["a", "b"]})
