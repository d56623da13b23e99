"""The official TypeScript clients, of both eras of the protocol, over stdio."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests import ROOT
from tests.edges.cli.tribal_command import clean_environment
from tests.edges.mcp.asked import ANSWERED, REFUSED, Schemas, index_project, server_command
from tests.plugins.skips import skip_or_fail
from tribal.tools.registry import REGISTRY

SOURCES = Path(__file__).parent / "typescript"
CACHE = ROOT / ".cache" / "mcp-typescript"
OLDEST_NODE = 20
HALF_A_CHARACTER: tuple[str, dict[str, Any]] = ("search_tables", {"query": "\ud800"})
UNKNOWN_TOOL: tuple[str, dict[str, Any]] = ("drop_tables", {})
PARSE_ERROR, INVALID_PARAMS = -32700, -32602


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, check=False, timeout=300
    )


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
    clients: Path, tmp_path: Path, generation: str
) -> None:
    index_project(tmp_path)
    asked = [*ANSWERED, *REFUSED, HALF_A_CHARACTER, UNKNOWN_TOOL]
    calls = tmp_path / "calls.json"
    calls.write_text(json.dumps([{"name": tool, "arguments": arguments} for tool, arguments in asked]))
    node = shutil.which("node", path=os.environ["PATH"]) or "node"
    ran = run(node, "ask.mjs", generation, str(calls), *server_command(tmp_path), cwd=clients)
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
    assert [answer["refused"] for _, answer in answers[-2:]] == [PARSE_ERROR, INVALID_PARAMS]
