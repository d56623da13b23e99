"""The official TypeScript clients of MCP, of both eras of the protocol, run by Node.js."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests import ROOT
from tests.edges.cli.tribal_command import clean_environment
from tests.plugins.skips import skip_or_fail

SOURCES = Path(__file__).parent / "typescript"
CACHE = ROOT / ".cache" / "mcp-typescript"
OLDEST_NODE = 20
GENERATIONS = ("v1", "v2")


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(name="clients", scope="session")
def clients_fixture() -> Path:
    """A folder with the clients."""
    return installed(SOURCES, CACHE, "the TypeScript clients of MCP")


def installed(sources: Path, cache: Path, what: str) -> Path:
    """A folder with npm packages and a script that uses them, installed once for each state of the lock file.

    Args:
        sources: has `package.json`, its lock file, and `ask.mjs`.
        cache: where such folders are.
        what: the packages, for the reason of a skipped test.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        skip_or_fail(f"Node.js with npm is not installed; with it {what} are tried")
    version = run(node, "--version", cwd=sources).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        skip_or_fail(f"{what} need Node.js {OLDEST_NODE} or newer, this is {version}")
    digest = hashlib.sha256((sources / "package-lock.json").read_bytes()).hexdigest()[:16]
    folder = cache / digest
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "lock"):
        for name in ("package.json", "package-lock.json", "ask.mjs"):
            shutil.copyfile(sources / name, folder / name)
        if not (folder / "installed").exists():
            done = run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
            if done.returncode:
                skip_or_fail(f"npm cannot install {what}:\n{done.stderr[-1000:]}")
            (folder / "installed").touch()
    return folder


def answers_to(
    asked: Sequence[tuple[str, dict[str, Any]]], clients: Path, generation: str, server: Sequence[str], folder: Path
) -> dict[str, Any]:
    """What a client of a generation sees of a server: its tools, and an answer for each call.

    Args:
        asked: tools with their arguments.
        clients: where the clients are installed.
        generation: one of `GENERATIONS`.
        server: a command to start, or an address.
        folder: where the calls are written for the client.
    """
    calls = folder / "calls.json"
    calls.write_text(json.dumps([{"name": tool, "arguments": arguments} for tool, arguments in asked]))
    ran = run(shutil.which("node") or "node", "ask.mjs", generation, str(calls), *server, cwd=clients)
    assert ran.returncode == 0, ran.stderr
    seen: dict[str, Any] = json.loads(ran.stdout)
    return seen
