"""The wheel of `make dist`, installed as a user installs it, and used where this repository is not known."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from infra.installing import LOCK, settings_here
from tests import ROOT
from tests.edges.cli.tribal_command import clean_environment
from tests.plugins.skips import skip_or_fail
from tribal import __version__

PIPX = "pipx==1.18.4"
BIN = Path(sys.executable).parent


def ended(*command: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, without what makes the packages of this repository importable."""
    kept = {name: value for name, value in clean_environment(**environment).items() if name not in _OF_THIS_PYTHON}
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=kept, capture_output=True, text=True, check=False, timeout=300
    )


_OF_THIS_PYTHON = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")


@pytest.fixture(name="wheel", scope="module")
def wheel_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    built = ended("make", "--no-print-directory", "dist", f"DIST={folder}", cwd=ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    assert {str(path) for path in folder.iterdir()} == set(built.stdout.split())
    return wheel


@pytest.fixture(name="constraints", scope="module")
def constraints_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The versions that everything else is tested with, so that a new release elsewhere does not fail this."""
    pins = re.findall(r"^\S+==[^\\\n]+", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(pins) > 50
    file = tmp_path_factory.mktemp("constraints") / "constraints.txt"
    file.write_text("".join(f"{pin.strip()}\n" for pin in pins), encoding="utf-8")
    return file


def installed(by: str, wheel: Path | str, folder: Path, constraints: Path) -> Path:
    """Install the wheel in a folder by one of three programs; the program that it brings."""
    told = settings_here()
    indexes, environment = ([], {}) if isinstance(told, str) else (told.arguments, told.environment)
    uv = BIN / "uv"
    if by == "pip":
        steps: list[list[object]] = [
            [sys.executable, "-m", "venv", folder / "environment"],
            [folder / "environment" / "bin" / "pip", "install", "--constraint", constraints, wheel],
        ]
        program = folder / "environment" / "bin" / "tribal"
    elif by == "uv":
        environment |= {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
        choices = ["--no-python-downloads", "--python", sys.executable, "--constraints", constraints, *indexes]
        steps = [[uv, "tool", "install", *choices, wheel]]
        program = folder / "bin" / "tribal"
    else:
        environment |= {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
        environment |= {"PIPX_MAN_DIR": str(folder / "man"), "UV_TOOL_DIR": str(folder / "tools")}
        pipx = [uv, "tool", "run", "--no-python-downloads", "--python", sys.executable, *indexes, PIPX]
        chosen = ["--python", sys.executable, "--backend", "pip", "--pip-args", f"--constraint {constraints}"]
        steps = [[*pipx, "install", *chosen, wheel]]
        program = folder / "bin" / "tribal"
    for step in steps:
        done = ended(*step, cwd=folder, **environment)
        if done.returncode:
            command = shlex.join(str(part) for part in step)
            skip_or_fail(f"{by} cannot install the wheel: {command}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return program


# Installing with pip takes a minute of CPU time, most of it to compile the dependencies.
@pytest.mark.parametrize(
    "by", ["uv", pytest.param("pip", marks=pytest.mark.verify), pytest.param("pipx", marks=pytest.mark.verify)]
)
def test_an_installed_wheel_does_the_whole_job_without_this_repository(
    by: str, wheel: Path, constraints: Path, company_dsn: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    program = installed(by, wheel, home, constraints)
    project = tmp_path / "project"
    project.mkdir()
    version = ended(program, "--version", cwd=project)
    assert version.stdout.startswith(f"tribal {__version__} ("), version
    assert f" {home}/" in version.stdout
    ran = ended(program, "run", company_dsn, cwd=project)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = ended(program, "search", "invoice", "--json", cwd=project)
    assert json.loads(found.stdout)["tables"][0]["table"] == "invoice", found.stderr
    # Without the packages of `knowledge`, no policy is checked.
    asked = ended(program, "ask", "which suppliers are blocked", cwd=project)
    assert (asked.returncode, "WHERE is_blocked" in asked.stdout) == (0, True), asked
    site = ended(program, "site", tmp_path / "site", cwd=project)
    assert (site.returncode, (tmp_path / "site" / "index.html").is_file()) == (0, True), site
    assert ended(program, "init", "--project", "new", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "new" / "databases.schema.json").read_bytes())["$id"] == "databases.schema.json"
    (tmp_path / "new" / "databases.yaml").write_text("databases: []\nknowledge: {repository: decisions}\n")
    checked = ended(program, "check", cwd=tmp_path / "new")
    assert "bracex, dulwich, google-re2 are not installed; run: " in checked.stdout, checked
    (settings,) = json.loads(ended(program, "mcp", "--client", "cursor", cwd=project).stdout)["mcpServers"].values()
    assert settings["command"].startswith(str(home))
    assert is_served(program, project)
    assert can_add_packages(program, project)


@pytest.mark.verify
@pytest.mark.server
def test_an_installed_wheel_runs_the_demo(wheel: Path, constraints: Path, tmp_path: Path) -> None:
    program = installed("uv", f"{wheel}[demo]", tmp_path, constraints)
    ran = ended(program, "demo", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1].startswith("demo: done in ")


def can_add_packages(program: Path, project: Path) -> bool:
    """Try the command that the program names for packages that it lacks, without installing them."""
    told = settings_here()
    missing = ended(program, "--profile", "dev", "status", cwd=project)
    command = shlex.split(missing.stderr.partition("run: ")[2])
    indexes = told.arguments if command[0] == "uv" and not isinstance(told, str) else []
    tried = ended(*command, "--dry-run", *indexes, cwd=project, PATH=f"{BIN}:{os.environ['PATH']}")
    assert tried.returncode == 0, f"{missing.stderr}{tried.stdout}{tried.stderr}"
    return "botocore" in tried.stdout + tried.stderr


def is_served(program: Path, project: Path) -> bool:
    """Start the server of an installation, ask for its health and its page, and stop it."""
    server = subprocess.Popen(
        [program, "serve", "--port", "0"], cwd=project, env=clean_environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("serving ").strip().rstrip("/")
        began = time.monotonic()
        with urllib.request.urlopen(f"{address}/health", timeout=30) as answer:
            healthy = answer.status == 200
        texts = []
        for path in ("/", "/page.js", "/graph.js", "/page.css"):
            with urllib.request.urlopen(address + path, timeout=30) as answer:
                texts.append(answer.read())
        return healthy and b'id="page"' in texts[0] and all(texts) and time.monotonic() - began < 60
    finally:
        server.terminate()
        server.wait(timeout=40)
