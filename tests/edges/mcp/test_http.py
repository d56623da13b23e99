"""MCP over HTTP: whom it answers, sessions, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served as ServedProject
from tests.edges.mcp.asked import index_project
from tests.edges.mcp.over_http import HEADERS, SUBJECT, Served, served
from tests.edges.mcp.raw_session import HELLO, call_message
from tests.fakes import application_over
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.edges.mcp.http import McpEndpoint
from tribal.edges.mcp.tool_client import local_calls
from tribal.identity.locations import INDEX_FILE
from tribal.tools.registry import REGISTRY

NEWEST = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


@pytest.fixture(name="index", scope="module")
def index_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteIndex]:
    folder: Path = tmp_path_factory.mktemp("project")
    index_project(folder)
    index = SqliteIndex(folder / INDEX_FILE)
    yield index
    index.close()


@pytest.fixture(name="server", scope="module")
def server_fixture(index: SqliteIndex) -> Iterator[Served]:
    with served(McpEndpoint(local_calls(application_over(index)), REGISTRY, sessions=True)) as running:
        yield running


@pytest.fixture(name="stateless", scope="module")
def stateless_fixture(index: SqliteIndex) -> Iterator[Served]:
    with served(McpEndpoint(local_calls(application_over(index)), REGISTRY, sessions=False)) as running:
        yield running


def modern(tool: str, arguments: dict[str, Any], identity: int = 1) -> dict[str, Any]:
    message = call_message(identity, tool, arguments)
    message["params"]["_meta"] = META
    return message


def posted_modern(server: Served, tool: str, arguments: dict[str, Any], **headers: str) -> httpx2.Response:
    own = {"mcp_protocol_version": NEWEST, "mcp_method": "tools/call", "mcp_name": tool}
    return server.post(modern(tool, arguments), **own, **headers)


def opened(server: Served, subject: str) -> dict[str, str]:
    """The headers of a session that this caller opened."""
    answer = server.post(HELLO, **{SUBJECT: subject})
    assert answer.status_code == 200
    return {"mcp_session_id": answer.headers["mcp-session-id"], "mcp_protocol_version": "2025-11-25"}


def tables(answer: httpx2.Response) -> set[str]:
    content = answer.json()["result"]["structuredContent"]
    return {table["database"] for table in content["tables"]}


@each_case(("subject", "databases"), [("shop", {"shop"}), ("web", {"web"})])
def test_each_request_is_answered_for_its_own_caller_in_both_eras(
    server: Served, stateless: Served, subject: str, databases: set[str]
) -> None:
    asked = {"query": "customer visit", "limit": 20}
    for running in (server, stateless):
        assert tables(posted_modern(running, "search_tables", asked, **{SUBJECT: subject})) == databases
    session = opened(server, subject)
    call = call_message(2, "search_tables", asked)
    assert tables(server.post(call, **session, **{SUBJECT: subject})) == databases
    assert tables(stateless.post(call, mcp_protocol_version="2025-11-25", **{SUBJECT: subject})) == databases


def test_a_session_belongs_to_the_caller_who_opened_it_and_ends_when_they_say(server: Served) -> None:
    session = opened(server, "shop")
    call = call_message(2, "list_domains", {})
    foreign, unknown = server.post(call, **session, **{SUBJECT: "web"}), server.post(call, mcp_session_id="0" * 32)
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content
    headers = {name.replace("_", "-"): value for name, value in session.items()} | HEADERS
    assert httpx2.delete(server.url, headers={**headers, SUBJECT: "web"}).status_code == 404
    assert server.post(call, **session, **{SUBJECT: "shop"}).status_code == 200
    assert httpx2.delete(server.url, headers={**headers, SUBJECT: "shop"}).status_code == 200
    assert server.post(call, **session, **{SUBJECT: "shop"}).status_code == 404


@each_case(("method", "allowed"), [("GET", "POST, DELETE"), ("PUT", "POST, DELETE")])
def test_other_methods_are_refused_with_those_that_there_are(server: Served, method: str, allowed: str) -> None:
    refused = httpx2.request(method, server.url, headers=HEADERS)
    assert (refused.status_code, refused.headers["allow"]) == (405, allowed)


def test_a_refusal_has_the_id_of_its_request(server: Served) -> None:
    call = call_message(17, "list_domains", {})
    for refused in (server.post(call), server.post(call, mcp_session_id="0" * 32)):
        assert (refused.status_code >= 400, refused.json()["id"]) == (True, 17)
    assert server.post(b"{", **opened(server, "shop")).json()["id"] is None


def test_without_sessions_none_is_opened_and_none_can_be_ended(stateless: Served) -> None:
    assert "mcp-session-id" not in stateless.post(HELLO).headers
    assert httpx2.delete(stateless.url, headers=HEADERS).status_code == 405


BROKEN: list[tuple[str, bytes, int]] = [
    ("no JSON", b"{", 400),
    ("empty", b"", 400),
    ("invalid UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"tools/list\xff"}', 400),
    ("no JSON-RPC", b'{"hello":1}', 400),
    ("a list", b"[]", 400),
    ("a number", b"1", 400),
    (
        "deep",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":' + b"[" * 9_999 + b"]" * 9_999 + b"}}",
        400,
    ),
    ("half a character", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"x":"\\ud800"}}', 400),
    ("4 MiB and more", b'{"x":"' + b"x" * 4 * 1024 * 1024 + b'"}', 413),
]


@each_case("version", ["2025-11-25", NEWEST])
@each_case(("body", "status"), [each[1:] for each in BROKEN], ids=[each[0] for each in BROKEN])
def test_what_is_no_message_is_refused_and_the_next_is_answered(
    server: Served, stateless: Served, version: str, body: bytes, status: int
) -> None:
    for running in (server, stateless):
        headers = {"mcp_protocol_version": version}
        if version == "2025-11-25" and running is server:
            headers |= opened(server, "everyone")
        refused = running.post(body, **headers)
        assert refused.status_code == status, refused.text
    assert posted_modern(server, "list_domains", {}).json()["result"]["isError"] is False


@each_case(
    ("header", "value", "status"),
    [
        ("content-type", "text/plain", 400),
        ("accept", "text/html", 406),
        ("mcp-protocol-version", "1999-01-01", 400),
    ],
)
def test_headers_that_do_not_fit_are_refused(server: Served, header: str, value: str, status: int) -> None:
    assert server.post(HELLO, **{header: value}).status_code == status


def test_deep_arguments_are_a_failed_answer(server: Served) -> None:
    nested: Any = "x"
    for _ in range(90):
        nested = [nested]
    refused = posted_modern(server, "search_tables", {"query": nested}).json()["result"]
    assert (refused["isError"], refused["structuredContent"]["error"]["code"]) == (True, "RET_QUERY_INVALID")


def test_tribal_serve_answers_at_mcp_for_anyone_who_bears_a_token_and_logs_it(tmp_path: Path) -> None:
    index_project(tmp_path)
    made = tribal("token", "create", "agent", "--scope", "web", cwd=tmp_path)
    token = made.stdout.strip()
    with ServedProject(tmp_path, "--require-token") as server:
        # Some clients append a slash.
        running = Served(f"{server.address}/mcp/")
        assert running.post(HELLO).status_code == 401
        asked = {"query": "customer visit", "limit": 20}
        answer = posted_modern(running, "search_tables", asked, authorization=f"Bearer {token}")
        assert tables(answer) == {"web"}
    assert {line["path"] for line in server.lines() if line["status"] == 200} == {"/mcp"}


def test_tribal_serve_with_several_processes_keeps_no_sessions(tmp_path: Path) -> None:
    index_project(tmp_path)
    for workers, kept in ((1, True), (2, False)):
        with ServedProject(tmp_path, "--workers", workers) as server:
            answer = Served(f"{server.address}/mcp").post(HELLO)
            assert ("mcp-session-id" in answer.headers) is kept
