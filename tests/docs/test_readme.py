"""Every command of the README is run as it stands, in order, in one shell's worth of state."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests import ROOT
from tests.cases import each_case
from tests.edges.cli.tribal_command import clean_environment, tribal

NOT_RUN = {
    "make test": "it is what runs this test",
    "make demo": "it is run by a test of its own, below",
    "make setup": "it makes the environment that runs this test",
    "make dist": "tests/infra/test_installed.py builds and installs the wheel",
    "pipx install dist/*.whl": "tests/infra/test_installed.py builds and installs the wheel",
    'export PATH="$PWD/.venv/bin:$PATH"': "it is how these commands are found",
    'pipx install --force "$(ls dist/*.whl)[model]"': "tests/infra/test_installed.py builds and installs the wheel",
    "tribal check --prompt billing.invoice": "it needs a model in databases.yaml, which these commands do without",
    'claude mcp add-json --scope user tribal-knowledge "$(tribal mcp --client claude)"': "it needs Claude Code",
    "claude mcp add --transport http tribal-knowledge http://127.0.0.1:8080/mcp": "it needs Claude Code",
    'code --add-mcp "$(tribal mcp --client vscode)"': "it needs VS Code",
    'code --add-mcp "$(tribal mcp --client vscode --url http://127.0.0.1:8080/mcp)"': "it needs VS Code",
}
"""Commands of the README that the walk below leaves out, with the reason."""

PLACEHOLDER = "postgresql://user@host:5432/database"


def commands() -> list[str]:
    """Each line of each shell block."""
    blocks = re.findall(
        r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [line for block in blocks for line in block.splitlines() if line.strip() and not line.startswith("#")]


def test_the_list_of_commands_that_are_not_run_is_exact() -> None:
    assert set(NOT_RUN) <= set(commands())


def test_every_command_of_the_readme_works(tmp_path: Path, company_dsn: str) -> None:
    ran = [command for command in commands() if command not in NOT_RUN]
    assert len(ran) > 15
    for command in ran:
        program, *words = shlex.split(command.replace(PLACEHOLDER, company_dsn))
        assert program == "tribal", f"{command} needs a test of its own"
        done = tribal(*words, cwd=tmp_path, TRIBAL_PASSWORD="tribal-demo")
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


# The commands that it runs have tests of their own.
@pytest.mark.verify
@pytest.mark.server
@pytest.mark.skipif(bool(os.environ.get("TRIBAL_DEMO_DSN")), reason="the demo would use a database of the user's")
def test_make_demo_ends_with_a_line_that_says_what_happened() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "demo"],
        cwd=ROOT,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert re.fullmatch(r"demo: done in \d+ s", done.stdout.splitlines()[-1])
    assert "SELECT" in done.stdout


@each_case("target", sorted(set(re.findall(r"`make ([a-z]+)`", (ROOT / "README.md").read_text()))))
def test_every_make_target_that_the_readme_names_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
