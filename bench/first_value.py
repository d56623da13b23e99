"""How long does it take from installing the wheel to the first right answer, and what of the installation is unused?

`python -m bench.first_value` installs the wheel of this checkout into a new environment, with pip and with uv, from
their caches; then it documents a database of 100 tables and searches it. The second table lists the packages that no
command imports, by size.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from mcp import Client

from bench.generated import load_generated
from bench.harness import Bench, BenchmarkFailed, Command, Row, Table, measure, run
from infra.installing import settings_here
from tests import ROOT

TABLES = 100
QUESTION = "which products are in a bundle"
EXPECTED = "bundle_item"
_IMPORTED = re.compile(r"^import time:.*\| +(\w+)", re.MULTILINE)


def tables(bench: Bench) -> Iterator[Table]:
    """Measure the parts with each installer, then look at what was installed."""
    load_generated(bench.server, TABLES)
    dsn = bench.server.dsn(f"generated_{TABLES}")
    wheel = _wheel(bench)
    settings = settings_here()
    indexes = [] if isinstance(settings, str) else settings.arguments
    for installer in ("pip", "uv"):
        home = bench.folder / f"with_{installer}"
        rows = []
        # The first time fills the installer's cache.
        for _ in range(2):
            measure([sys.executable, "-m", "venv", "--clear", home], folder=bench.folder)
            install: Command = [home / "bin" / "pip", "install", wheel]
            if installer == "uv":
                install = [Path(sys.executable).with_name("uv"), "pip", "install", "--python", home, *indexes, wheel]
            installed = measure(install, folder=bench.folder)
        rows.append(installed.row(f"{installer} install"))
        project = bench.new_folder(f"project_{installer}")
        tribal = home / "bin" / "tribal"
        for words in (["run", dsn], ["search", QUESTION, "--json"], ["search", QUESTION, "--json"]):
            measured = measure([tribal, *words], folder=project)
            rows.append(measured.row(f"tribal {words[0]}"))
        found = json.loads(measured.output[measured.output.index("{") :])["tables"][0]
        if found["table"] != EXPECTED:
            raise BenchmarkFailed(f"“{QUESTION}” finds {found['table']} first, not {EXPECTED}")
        yield Table(f"from the wheel to the first result, with {installer}", rows, [_size(home)])
    yield _unused(home, project, dsn)


def _wheel(bench: Bench) -> Path:
    folder = bench.new_folder("dist")
    measure([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "--directory", folder], folder=ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _packages(home: Path) -> list[metadata.Distribution]:
    (folder,) = home.glob("lib/*/site-packages")
    installers = {"pip", "setuptools"}
    return [each for each in metadata.distributions(path=[str(folder)]) if each.name not in installers]


def _megabytes(distribution: metadata.Distribution) -> float:
    files = (Path(str(distribution.locate_file(file))) for file in distribution.files or ())
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def _size(home: Path) -> str:
    packages = _packages(home)
    files = [file for file in home.rglob("*") if file.is_file() and "/pip/" not in str(file)]
    total = sum(file.stat().st_size for file in files) / 1e6
    own = sum(map(_megabytes, packages))
    return f"{len(packages)} packages; {own:.0f} MB, {total:.0f} MB with compiled bytecode"


def _unused(home: Path, project: Path, dsn: str) -> Table:
    """Packages that none of the commands imports, of which the server answers over HTTP and MCP."""
    tribal, environment = home / "bin" / "tribal", {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    traces = [
        measure([tribal, *words], folder=project, environment=environment).output
        for words in (["run", dsn], ["search", QUESTION], ["ask", QUESTION])
    ]
    traces.append(_served(tribal, project, environment))
    imported = {name for trace in traces for name in _IMPORTED.findall(trace)}
    unused: list[Row] = [
        {"package": each.name, "MB": _megabytes(each)}
        for each in sorted(_packages(home), key=_megabytes, reverse=True)
        if imported.isdisjoint(_modules(each))
    ]
    return Table("packages that run, search, ask and serve (HTTP and MCP) never import", unused)


def _served(tribal: Path, project: Path, environment: Mapping[str, str]) -> str:
    """Start the server, search over HTTP and MCP, and return what it wrote to standard error."""
    with tempfile.TemporaryFile("w+") as errors:
        command = [str(tribal), "serve", "--port", "0"]
        with subprocess.Popen(
            command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as server:
            assert server.stdout is not None
            address = server.stdout.readline().removeprefix("serving ").strip()
            body = json.dumps({"query": QUESTION}).encode()
            request = urllib.request.Request(
                f"{address}v1/tools/search_tables", body, {"content-type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                answer.read()
            asyncio.run(_call_over_mcp(f"{address}mcp"))
            server.terminate()
        errors.seek(0)
        return errors.read()


async def _call_over_mcp(address: str) -> None:
    async with Client(address) as client:
        await client.call_tool("search_tables", {"query": QUESTION})


def _modules(distribution: metadata.Distribution) -> set[str]:
    """Names of the top-level modules of a package."""
    tops = {file.parts[0] for file in distribution.files or () if file.suffix in (".py", ".so", ".pyd")}
    return {top.partition(".")[0] for top in tops if not top.startswith("..")}


if __name__ == "__main__":
    sys.exit(run("first_value", tables))
