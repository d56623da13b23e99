"""The official TypeScript clients, of both eras of the protocol, and the inspector's command, over stdio and HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests import ROOT
from tests.edges.cli.tribal_command import clean_environment
from tests.edges.http.served import Served
from tests.edges.mcp.asked import ANSWERED, REFUSED, Schemas, index_project, server_command
from tests.plugins.skips import skip_or_fail
from tribal.tools.registry import REGISTRY

SOURCES = Path(__file__).parent / "typescript"
CACHE = ROOT / ".cache" / "mcp-typescript"
OLDEST_NODE = 20
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
    ("get_table_schema", {"table": "shop.crm.custmer"}),
]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="server", scope="module", params=["stdio", "http"])
def server_fixture(project: Path, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """How a client reaches the server: a command to start, or an address."""
    if request.param == "stdio":
        yield server_command(project)
        return
    with Served(project) as running:
        yield [f"{running.address}/mcp"]


@pytest.fixture(name="clients", scope="session")
def clients_fixture() -> Path:
    """A folder with the clients, installed once for each state of the lock file."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        skip_or_fail("Node.js with npm is not installed; with it the TypeScript clients of MCP are tried")
    version = run(node, "--version", cwd=SOURCES).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        skip_or_fail(f"the TypeScript clients of MCP need Node.js {OLDEST_NODE} or newer, this is {version}")
    digest = hashlib.sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()[:16]
    folder = CACHE / digest
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / "lock"):
        for name in ("package.json", "package-lock.json", "ask.mjs"):
            shutil.copyfile(SOURCES / name, folder / name)
        if not (folder / "installed").exists():
            installed = run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
            if installed.returncode:
                skip_or_fail(f"npm cannot install the TypeScript clients of MCP:\n{installed.stderr[-1000:]}")
            (folder / "installed").touch()
    return folder


@pytest.mark.xdist_group("typescript")
@pytest.mark.parametrize("generation", ["v1", "v2"])
def test_the_client_calls_every_tool_and_every_structured_answer_is_valid(
    clients: Path, server: list[str], tmp_path: Path, generation: str
) -> None:
    asked = [*ANSWERED, *REFUSED, HALF_A_CHARACTER, UNKNOWN_TOOL]
    calls = tmp_path / "calls.json"
    calls.write_text(json.dumps([{"name": tool, "arguments": arguments} for tool, arguments in asked]))
    node = shutil.which("node", path=os.environ["PATH"]) or "node"
    ran = run(node, "ask.mjs", generation, str(calls), *server, cwd=clients)
    assert ran.returncode == 0, ran.stderr
    seen: dict[str, Any] = json.loads(ran.stdout)

    assert seen["version"] == (None if generation == "v1" else "2026-07-28")
    assert [tool["name"] for tool in seen["tools"]] == list(REGISTRY.tools)
    for tool in seen["tools"]:
        hints = [tool["annotations"][f"{hint}Hint"] for hint in ("readOnly", "destructive", "idempotent", "openWorld")]
        assert hints == [True, False, True, False]
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


@pytest.mark.xdist_group("typescript")
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
    assert {tool for tool, _ in INSPECTED} == set(REGISTRY.tools)
    templates = inspect(clients, server, "--method", "resources/templates/list")["resourceTemplates"]
    assert len(templates) == 4
    read = inspect(clients, server, "--method", "resources/read", "--uri", "tribal://shop/crm/customer")["contents"]
    assert read[0]["text"].startswith("# shop.crm.customer")
