"""The official TypeScript clients, of both eras of the protocol, and the inspector's command, over stdio and HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.edges.http.served import Served
from tests.edges.mcp.asked import ANSWERED, REFUSED, TOOLS, Schemas, index_project, server_command
from tests.edges.mcp.python_client import TRANSPORTS
from tests.edges.mcp.typescript_client import GENERATIONS, answers_to, clients_fixture, run  # noqa: F401
from tribal.tools.registry import REGISTRY

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("typescript")]
HALF_A_CHARACTER: tuple[str, dict[str, Any]] = ("search_tables", {"query": "\ud800"})
UNKNOWN_TOOL: tuple[str, dict[str, Any]] = ("drop_tables", {})
PARSE_ERROR, INVALID_PARAMS, BAD_REQUEST = -32700, -32602, 400
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
INSPECTED: list[tuple[str, dict[str, Any]]] = [
    ("search_tables", {"query": "customer", "limit": 3}),
    ("get_table_schema", {"table": "shop.crm.customer"}),
    ("get_join_path", {"source_table": "shop.crm.customer", "target_table": "shop.sales.order_line"}),
    ("get_domain_overview", {"domain": "marketing"}),
    ("list_domains", {}),
    ("check_sql", {"sql": "SELECT cust_id FROM crm.customer", "database": "shop"}),
    ("get_lineage", {"table": "web.public.visit"}),
    ("get_query_context", {"question": "what was ordered", "database": "shop"}),
    ("get_table_schema", {"table": "shop.crm.custmer"}),
]


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="server", scope="module")
def server_fixture(project: Path, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """How a client reaches the server: a command to start, or an address."""
    if request.param == "stdio":
        yield server_command(project)
        return
    with Served(project) as running:
        yield [f"{running.address}/mcp"]


@pytest.mark.parametrize("server", TRANSPORTS, indirect=True)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_client_calls_every_tool_and_every_structured_answer_is_valid(
    clients: Path, server: list[str], tmp_path: Path, generation: str
) -> None:
    asked = [*ANSWERED, *REFUSED, HALF_A_CHARACTER, UNKNOWN_TOOL]
    seen = answers_to(asked, clients, generation, server, tmp_path)

    assert seen["version"] == (None if generation == "v1" else "2026-07-28")
    assert [tool["name"] for tool in seen["tools"]] == list(REGISTRY.tools)
    for tool in seen["tools"]:
        hints = [tool["annotations"][f"{hint}Hint"] for hint in ("readOnly", "destructive", "idempotent", "openWorld")]
        effect = REGISTRY.tools[tool["name"]].effect
        assert hints == [effect.read_only, effect.destructive, effect.idempotent, False]
    schemas = Schemas()
    answers = list(zip(asked, seen["answers"], strict=True))
    for (tool, arguments), answer in answers[:-2]:
        assert answer["valid"] == [True, True], (tool, arguments, answer)
        # JavaScript knows no difference between 1 and 1.0, which the size of an answer does.
        text = json.loads(answer["text"])
        assert text == answer["data"]
        assert answer["isError"] is ((tool, arguments) not in ANSWERED)
        schemas.check(tool, text)
    half, unknown = (answer for _, answer in answers[-2:])
    assert half.get("isError") or half["refused"] in (PARSE_ERROR, BAD_REQUEST)
    assert unknown["refused"] == INVALID_PARAMS


def inspect(clients: Path, server: list[str], *asked: str) -> dict[str, Any]:
    """What the inspector prints."""
    transport = ["--transport", "http"] if server[0].startswith("http") else []
    ran = run("node", INSPECTOR, "--cli", *server, *transport, *asked, cwd=clients)
    # It ends with 5 where a tool marks its answer as an error.
    assert ran.returncode in (0, 5), ran.stderr
    shown: dict[str, Any] = json.loads(ran.stdout)
    return shown


@pytest.mark.parametrize("server", TRANSPORTS, indirect=True)
def test_the_inspector_lists_and_calls_every_tool_and_reads_what_there_is(clients: Path, server: list[str]) -> None:
    listed = [tool["name"] for tool in inspect(clients, server, "--method", "tools/list")["tools"]]
    assert listed == list(REGISTRY.tools)
    schemas = Schemas()

    def call(tool: str, arguments: dict[str, Any]) -> tuple[str, bool, Any]:
        given = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={json.dumps(value)}")]
        answer = inspect(clients, server, "--method", "tools/call", "--tool-name", tool, *given)
        # JavaScript knows no difference between 1 and 1.0, which the size of an answer does.
        text = json.loads(answer["content"][0]["text"])
        assert text == answer["structuredContent"]
        return tool, answer.get("isError", False), text

    with ThreadPoolExecutor(2) as pool:
        for tool, failed, answer in pool.map(lambda each: call(*each), INSPECTED):
            assert failed is not answer["success"]
            schemas.check(tool, answer)
    assert {tool for tool, _ in INSPECTED} == set(TOOLS.tools)
    templates = inspect(clients, server, "--method", "resources/templates/list")["resourceTemplates"]
    assert len(templates) == 4
    read = inspect(clients, server, "--method", "resources/read", "--uri", "tribal://shop/crm/customer")["contents"]
    assert read[0]["text"].startswith("# shop.crm.customer")
