"""The official Python and TypeScript clients call each tool of knowledge and syncing, failures included."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from tests.capabilities.knowledge.syncing.house import ADR_042, decision, write
from tests.edges.http.served import Served
from tests.edges.mcp.asked import Arguments, Schemas, index_project
from tests.edges.mcp.python_client import (
    TRANSPORTS,
    Server,
    ToolClient,
    asking,
    over_one_connection,
    stdio_server,
)
from tests.edges.mcp.typescript_client import GENERATIONS, answers_to, clients_fixture  # noqa: F401
from tribal.capabilities.knowledge.syncing.tools import SYNC
from tribal.capabilities.knowledge.tools import KNOWLEDGE
from tribal.tools.registry import EVERYTHING

ID = "adr-042-database-selection"
ANSWERED: list[tuple[str, Arguments, Mapping[str, Any]]] = [
    ("sync_now", {}, {"success": True}),
    ("sync_now", {"force": True, "types": ["adr"], "layers": ["org"]}, {"success": True}),
    ("sync_status", {}, {"healthy": True, "failedItems": 0}),
    ("knowledge_query", {"query": "database selection", "type": "adr", "status": ["accepted"]}, {"success": True}),
    ("knowledge_query", {"layer": "team"}, {"totalCount": 0, "items": []}),
    ("knowledge_query", {"tags": ["Database"], "limit": 1}, {"totalCount": 1}),
    ("knowledge_show", {"id": ID, "includeHistory": True, "includeConstraints": False}, {"history": []}),
    (
        "knowledge_check",
        {"dependencies": [{"name": "mysql2", "version": "3.0.0"}]},
        {"passed": False, "summary": {"info": 0, "warn": 0, "block": 1}},
    ),
    (
        "knowledge_check",
        {
            "files": [{"path": "requirements.txt", "content": "psycopg==3\n"}],
            "minSeverity": "info",
            "knowledgeItemIds": [ID],
            "complete": True,
        },
        {"passed": True, "violations": []},
    ),
    ("knowledge_check", {"tables": ["shop.crm.*"]}, {"passed": True}),
]
"""Calls that succeed, in this order, and what is in their answers."""
REFUSED: list[tuple[str, Arguments, str]] = [
    ("knowledge_query", {"query": " "}, "INVALID_INPUT"),
    ("knowledge_query", {"type": "memo"}, "INVALID_INPUT"),
    ("knowledge_query", {"limit": 101}, "INVALID_INPUT"),
    ("knowledge_query", {"status": []}, "INVALID_INPUT"),
    ("knowledge_query", {"owner": "bob"}, "INVALID_INPUT"),
    ("knowledge_show", {}, "INVALID_INPUT"),
    ("knowledge_show", {"id": "adr-999"}, "NOT_FOUND"),
    ("knowledge_show", {"id": "../../etc/passwd"}, "NOT_FOUND"),
    ("knowledge_check", {"files": [{"path": "a.sql"}]}, "INVALID_INPUT"),
    ("knowledge_check", {"files": [{"path": "../a.sql", "content": ""}]}, "INVALID_INPUT"),
    ("knowledge_check", {"minSeverity": "fatal"}, "INVALID_INPUT"),
    ("knowledge_check", {"knowledgeItemIds": ["adr-999"]}, "NOT_FOUND"),
    ("sync_now", {"types": ["memo"]}, "INVALID_INPUT"),
    ("sync_now", {"layers": ["user"]}, "INVALID_INPUT"),
    ("sync_status", {"x": 1}, "INVALID_INPUT"),
]
"""Calls that are refused, and with what."""
CALLS = [(tool, arguments) for tool, arguments, _ in [*ANSWERED, *REFUSED]]
TOOLS = [spec.name for spec in (*KNOWLEDGE.tools, *SYNC.tools)]


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    settings = "identity: {org: acme, project: shop}\nknowledge: {repository: decisions}\ndatabases: []\n"
    write(folder, {"databases.yaml": settings, f"decisions/orgs/acme/adrs/{ID}.md": ADR_042})
    write(folder, {"decisions/projects/shop/adrs/0001-rest.md": decision("1. REST over queues")})
    if request.param == "stdio":
        yield stdio_server(folder)
        return
    with Served(folder, "--write") as running:
        yield f"{running.address}/mcp"


@pytest.fixture(name="asker", scope="module")
def asker_fixture(server: Server, request: pytest.FixtureRequest) -> Iterator[ToolClient]:
    with asking(server, request.param) as asker:
        yield asker


def check(answers: list[Any], failed: list[bool]) -> None:
    """Compare the answers to every call with what is expected."""
    schemas = Schemas(EVERYTHING)
    for (tool, _), answer in zip(CALLS, answers, strict=True):
        schemas.validate(tool, answer)
    assert failed == [False] * len(ANSWERED) + [True] * len(REFUSED)
    for (*call, expected), answer in zip(ANSWERED, answers, strict=False):
        assert {name: answer.get(name) for name in expected} == expected, call
    for (*call, code), answer in zip(REFUSED, answers[len(ANSWERED) :], strict=True):
        assert (answer["success"], answer["errorCode"], answer["retryable"]) == (False, code, False), call


def test_every_tool_is_called_and_refused() -> None:
    assert {tool for tool, *_ in ANSWERED} == {tool for tool, *_ in REFUSED} == set(TOOLS)


@pytest.mark.verify
@over_one_connection
def test_the_python_client_syncs_asks_and_checks(asker: ToolClient) -> None:
    listed = {tool.name: tool for tool in asker.list().tools}
    results = [asker.call(tool, arguments) for tool, arguments in CALLS]
    assert [name for name in listed if name in TOOLS] == TOOLS
    hints = {name: listed[name].annotations for name in TOOLS}
    assert {name for name, hint in hints.items() if not hint.read_only_hint} == {"sync_now"}
    assert not any(hint.destructive_hint or hint.open_world_hint for hint in hints.values())
    assert all(hint.idempotent_hint for hint in hints.values())
    for result in results:
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    check([result.structured_content for result in results], [bool(result.is_error) for result in results])


@pytest.mark.verify
@pytest.mark.xdist_group("typescript")
@pytest.mark.parametrize("server", TRANSPORTS, indirect=True)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_typescript_client_syncs_asks_and_checks(
    clients: Path, server: Server, tmp_path: Path, generation: str
) -> None:
    reached = [server.command, *server.args] if isinstance(server, StdioServerParameters) else [server]
    seen = answers_to(CALLS, clients, generation, reached, tmp_path)
    assert [tool["name"] for tool in seen["tools"] if tool["name"] in TOOLS] == TOOLS
    for call, answer in zip(CALLS, seen["answers"], strict=True):
        assert answer.get("valid") == [True, True], (call, answer)
        assert json.loads(answer["text"]) == answer["data"]
    check([answer["data"] for answer in seen["answers"]], [answer["isError"] for answer in seen["answers"]])
