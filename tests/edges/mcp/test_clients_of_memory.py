"""The official Python and TypeScript clients call each tool of memory, over stdio and HTTP, failures included."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

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
from tribal.capabilities.memory.records import memory_id
from tribal.capabilities.memory.tools import MEMORY
from tribal.ports.remembering.identity import Space
from tribal.tools.registry import EVERYTHING

CONTENT = "Revenue leaves void invoices out"
ID = memory_id(Space("project", (("project", "shop"),)), CONTENT)
ANSWERED: list[tuple[str, Arguments, Mapping[str, Any]]] = [
    (
        "memory_add",
        {"content": CONTENT, "layer": "project", "tags": ["billing"], "metadata": {"tables": ["shop.crm.customer"]}},
        {"memoryId": ID, "message": "Memory stored successfully"},
    ),
    ("memory_add", {"content": CONTENT, "layer": "project"}, {"memoryId": ID, "message": "Already stored"}),
    ("memory_search", {"query": "void invoices"}, {"totalCount": 1}),
    (
        "memory_search",
        {
            "query": "revenue",
            "layers": ["project", "team"],
            "limit": 1,
            "threshold": 0.1,
            "filter": {"tags": ["Billing"]},
        },
        {"totalCount": 1, "searchedLayers": ["project"]},
    ),
    ("memory_search", {"query": "the colour of the cat"}, {"totalCount": 0, "results": []}),
    ("memory_delete", {"memoryId": ID}, {"success": True}),
    ("memory_search", {"query": "void invoices", "threshold": 0}, {"totalCount": 0}),
]
"""Calls that succeed, in this order, and what is in their answers."""
REFUSED: list[tuple[str, Arguments, str]] = [
    ("memory_add", {}, "INVALID_INPUT"),
    ("memory_add", {"content": None}, "INVALID_INPUT"),
    ("memory_add", {"content": " "}, "INVALID_INPUT"),
    ("memory_add", {"content": "x" * 4_001}, "INVALID_INPUT"),
    ("memory_add", {"content": "x", "layer": "galaxy"}, "INVALID_INPUT"),
    ("memory_add", {"content": "x", "userId": "bob"}, "INVALID_INPUT"),
    ("memory_add", {"content": "x", "tags": ["t"] * 21}, "INVALID_INPUT"),
    ("memory_add", {"content": "x", "metadata": {"_x": 1}}, "INVALID_INPUT"),
    ("memory_add", {"content": "the password is hunter2!"}, "INVALID_INPUT"),
    ("memory_add", {"content": "x", "layer": "company"}, "UNAUTHORIZED"),
    ("memory_search", {}, "INVALID_INPUT"),
    ("memory_search", {"query": ["x"]}, "INVALID_INPUT"),
    ("memory_search", {"query": "x", "limit": 0}, "INVALID_INPUT"),
    ("memory_search", {"query": "x", "threshold": 7}, "INVALID_INPUT"),
    ("memory_search", {"query": "x", "layers": ["org"]}, "INVALID_INPUT"),
    ("memory_search", {"query": "x", "tags": ["a"], "filter": {"tags": ["a"]}}, "INVALID_INPUT"),
    ("memory_delete", {}, "INVALID_INPUT"),
    ("memory_delete", {"memoryId": ID}, "NOT_FOUND"),
    ("memory_delete", {"memoryId": "../../etc/passwd"}, "NOT_FOUND"),
]
"""Calls that are refused, and with what."""
CALLS = [(tool, arguments) for tool, arguments, _ in [*ANSWERED, *REFUSED]]
TOOLS = [spec.name for spec in MEMORY.tools]


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    (folder / "databases.yaml").write_text("identity: {project: shop}\nmemory: {}\ndatabases: []\n")
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
        assert set(answer) == {"success", "errorCode", "message", "details", "retryable"}, call
        assert (answer["success"], answer["errorCode"], answer["retryable"]) == (False, code, False), call


def test_every_tool_is_called_and_refused() -> None:
    assert {tool for tool, *_ in ANSWERED} == {tool for tool, *_ in REFUSED} == set(TOOLS)


@pytest.mark.verify
@over_one_connection
def test_the_python_client_stores_finds_and_deletes(asker: ToolClient) -> None:
    listed = {tool.name: tool for tool in asker.list().tools}
    results = [asker.call(tool, arguments) for tool, arguments in CALLS]
    assert [name for name in listed if name in TOOLS] == TOOLS
    hints = [listed[name].annotations for name in TOOLS]
    assert [hint.read_only_hint for hint in hints] == [False, True, False]
    assert [hint.destructive_hint for hint in hints] == [False, False, True]
    assert all(hint.idempotent_hint and not hint.open_world_hint for hint in hints)
    for result in results:
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    check([result.structured_content for result in results], [bool(result.is_error) for result in results])


@pytest.mark.verify
@pytest.mark.xdist_group("typescript")
@pytest.mark.parametrize("server", TRANSPORTS, indirect=True)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_typescript_client_stores_finds_and_deletes(
    clients: Path, server: Server, tmp_path: Path, generation: str
) -> None:
    reached = [server.command, *server.args] if isinstance(server, StdioServerParameters) else [server]
    seen = answers_to(CALLS, clients, generation, reached, tmp_path)
    assert [tool["name"] for tool in seen["tools"] if tool["name"] in TOOLS] == TOOLS
    for call, answer in zip(CALLS, seen["answers"], strict=True):
        assert answer.get("valid") == [True, True], (call, answer)
        assert json.loads(answer["text"]) == answer["data"]
    check([answer["data"] for answer in seen["answers"]], [answer["isError"] for answer in seen["answers"]])
