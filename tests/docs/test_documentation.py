"""The documentation mentions all there is, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from pydantic import BaseModel

from tests import ROOT
from tests.edges.cli.tribal_command import tribal
from tribal.edges.cli.app import app
from tribal.tools.outcomes import error_classes
from tribal.tools.registry import REGISTRY
from tribal_contracts import (
    ERROR_CODES,
    DatabaseEntry,
    DatabaseLimits,
    KnowledgeSettings,
    ModelPrice,
    ModelSettings,
    ProfileEntry,
    ProjectFile,
)

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = sorted(str(command.name) for command in app.registered_commands)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented_and_has_help(command: str, tmp_path: Path) -> None:
    shown = tribal(command, "--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert f"`tribal {command}" in text("docs/commands.md")
    options = set(re.findall(r"--[a-z][a-z-]+", shown.stdout)) - {"--help", "--json", "--project", "--no-"}
    documented = text("docs/commands.md")
    negatives = {option for option in options if option.startswith("--no-")}
    missing = {
        option
        for option in options
        if option not in documented
        and option.replace("--no-", "--", 1) not in documented
        and option.replace("--", "--no-", 1) not in negatives | set(re.findall(r"--[a-z-]+", documented))
    }
    assert missing - {"--interval"} == set()
    assert "--json" in shown.stdout


@pytest.mark.parametrize("command", ["run", "status", "tail"])
def test_every_option_of_a_command_that_looks_into_an_environment_is_documented(command: str, tmp_path: Path) -> None:
    shown = tribal("--profile", "dev", command, "--help", cwd=tmp_path)
    assert shown.returncode == 0
    section = text("docs/commands.md").partition("## A deployed environment")[2].partition("\n## ")[0]
    options = set(re.findall(r"--[a-z][a-z-]+", shown.stdout)) - {"--help"}
    assert [option for option in sorted(options) if option not in section] == []


@pytest.mark.parametrize("tool", sorted(REGISTRY.tools))
def test_every_tool_is_documented_with_its_inputs(tool: str) -> None:
    line = next(line for line in text("docs/tools.md").splitlines() if line.startswith(f"| `{tool}`"))
    for name in REGISTRY.tools[tool].input_model.model_fields:
        assert f"`{name}" in line


@pytest.mark.parametrize(
    "model", [ProjectFile, DatabaseEntry, DatabaseLimits, KnowledgeSettings, ModelSettings, ModelPrice, ProfileEntry]
)
def test_every_key_of_the_configuration_is_documented(model: type[BaseModel]) -> None:
    documented = text("docs/configuration.md")
    assert [name for name in model.model_fields if not re.search(rf"\b{name}\b", documented)] == []


def test_every_exit_code_is_documented() -> None:
    codes = {kind.exit_code for kind in error_classes()} | {0, 1}
    assert [code for code in codes if f"| {code} |" not in text("docs/commands.md")] == []


def test_every_error_code_is_documented() -> None:
    assert [code for code in ERROR_CODES if code not in text("docs/contracts.md")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    links = re.findall(
        r"(?<!\\)\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    )
    local = [unquote(link.partition("#")[0]) for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if link and not (page.parent / link).exists()] == []
