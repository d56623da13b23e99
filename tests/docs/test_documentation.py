"""The documentation mentions all there is, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from pydantic import BaseModel

from tests import ROOT
from tests.edges.cli.tribal_command import tribal
from tribal.capabilities import capabilities
from tribal.edges.cli.app import app
from tribal.tools.error_classes import error_classes
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
from tribal_contracts.interrogation.settings import InterrogationSettings

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = sorted(str(command.name) for command in app.registered_commands if not command.hidden)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def options_of(help_text: str) -> set[str]:
    return set(re.findall(r"--[a-z][a-z-]+", help_text)) - {"--help", "--json", "--project", "--no-"}


def undocumented(options: set[str], documented: str) -> set[str]:
    """Options that the page names neither as they are nor by their opposite."""
    negatives = {option for option in options if option.startswith("--no-")}
    named = negatives | set(re.findall(r"--[a-z-]+", documented))
    return {
        option
        for option in options
        if option not in documented
        and option.replace("--no-", "--", 1) not in documented
        and option.replace("--", "--no-", 1) not in named
    }


def test_every_command_is_documented_and_has_help(tmp_path: Path) -> None:
    documented = text("docs/commands.md")
    shown = {command: tribal(command, "--help", cwd=tmp_path) for command in COMMANDS}
    assert [command for command, ran in shown.items() if ran.returncode != 0] == []
    assert [command for command in COMMANDS if f"`tribal {command}" not in documented] == []
    missing = {command: undocumented(options_of(ran.stdout), documented) for command, ran in shown.items()}
    assert {command: options for command, options in missing.items() if options - {"--interval"}} == {}
    without = [command for command, ran in shown.items() if "--json" not in ran.stdout]
    # Completion prints a script, the demo a story; the others only have subcommands.
    assert without == ["completion", "contribute", "demo", "memory", "token"]


def test_every_option_of_a_command_that_looks_into_an_environment_is_documented(tmp_path: Path) -> None:
    section = text("docs/commands.md").partition("## A deployed environment")[2].partition("\n## ")[0]
    missing = {}
    for command in ("run", "status", "tail"):
        shown = tribal("--profile", "dev", command, "--help", cwd=tmp_path)
        assert shown.returncode == 0
        options = set(re.findall(r"--[a-z][a-z-]+", shown.stdout)) - {"--help"}
        missing[command] = [option for option in sorted(options) if option not in section]
    assert missing == {"run": [], "status": [], "tail": []}


def test_every_tool_is_documented_with_its_inputs() -> None:
    missing = []
    for name, tool in REGISTRY.tools.items():
        line = next((line for line in text("docs/tools.md").splitlines() if line.startswith(f"| `{name}`")), "")
        fields = [each.alias or field for field, each in tool.input_model.model_fields.items()]
        missing += [(name, field) for field in ("", *fields) if f"`{field}" not in line]
    assert missing == []


def test_every_key_of_the_configuration_is_documented() -> None:
    documented = text("docs/configuration.md")
    models: tuple[type[BaseModel], ...] = (
        *(ProjectFile, DatabaseEntry, DatabaseLimits, KnowledgeSettings, ModelSettings, ModelPrice, ProfileEntry),
        InterrogationSettings,
    )
    keys = [(model.__name__, name) for model in models for name in model.model_fields]
    assert [key for key in keys if not re.search(rf"\b{key[1]}\b", documented)] == []


def test_every_exit_code_is_documented() -> None:
    codes = {kind.exit_code for kind in error_classes()} | {0, 1}
    assert [code for code in codes if f"| {code} |" not in text("docs/commands.md")] == []


def test_every_error_code_is_documented() -> None:
    assert [code for code in ERROR_CODES if code not in text("docs/contracts.md")] == []


def test_every_link_of_a_page_leads_to_a_file() -> None:
    dead = []
    for page in PAGES:
        prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        links = re.findall(r"(?<!\\)\]\(([^)\s]+)\)", prose)
        local = [unquote(link.partition("#")[0]) for link in links if not re.match(r"[a-z]+:", link)]
        dead += [(page.name, link) for link in local if link and not (page.parent / link).exists()]
    assert dead == []


def test_every_capability_has_a_page_that_the_readme_links_and_that_names_its_tools() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for each in capabilities():
        page = (ROOT / "docs" / each.page).read_text(encoding="utf-8")
        assert f"docs/{each.page}" in readme
        assert [spec.name for group in each.groups for spec in group.tools if spec.name not in page] == []
