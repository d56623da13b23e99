"""Commands and tools with a switch against models send nothing to one: a server counts what it is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.openai_project import KEY, write_project
from tests.edges.cli.every_command import every_command
from tests.edges.cli.tribal_command import tribal
from tests.fakes.openai import FakeOpenAI
from tribal.tools.registry import EVERYTHING

if TYPE_CHECKING:
    from tests.fakes.openai.vendor import VendorName

QUESTION = "which customers ordered something?"
DATABASES = """databases:
  - {name: shop, dsn: "postgresql://nobody@127.0.0.1:1/shop"}
model: {use: large}
spending: {per_day_usd: 5}
"""
SECTIONS = """collections:
  - {{name: catalog, models: [large]}}
  - {{name: handbook, models: [large], embedding: {vectors}}}
  - {{name: lessons, profile: tutor, embedding: {vectors}}}
interrogation: {{detectives: [large], witness: large}}
contribution: {{repositories: [{{name: migrations, path: migrations, databases: [shop]}}]}}
"""
SWITCH = frozenset("ask budget describer model models offline rules".split())
"""Words by which the name of a switch about models is recognised."""
COLLECTIONS = ("catalog", "handbook", "lessons")
ASKED = [
    ("ask", QUESTION, "--no-model"),
    ("chat", QUESTION, "--no-model"),
    *[(command, QUESTION, "--no-model", "--collection", each) for command in ("ask", "chat") for each in COLLECTIONS],
]
WITHOUT_MODELS: dict[tuple[str, str], list[tuple[str, ...]]] = {
    ("ask", "--no-model"): [each for each in ASKED if each[0] == "ask"],
    ("chat", "--no-model"): [each for each in ASKED if each[0] == "chat"],
    # These ask only with the switch.
    ("check", "--ask"): [("check",)],
    ("interrogate", "--models"): [("interrogate", "--questions", "exam.txt")],
    # The database does not answer; `test_model_on_screen` has runs that keep to a budget.
    ("run", "--budget"): [("run", "--budget", "0")],
    ("document", "--budget"): [("document", "--budget", "0")],
    # These read what a model wrote before.
    ("contribute list", "--model-prose"): [("contribute", "list", "--model-prose")],
    ("contribute prepare", "--model-prose"): [("contribute", "prepare", "--model-prose")],
    # It asks one.
    ("contribute prepare", "--model"): [],
    ("list_contributions", "model_prose"): [("contribute", "list", "--model-prose")],
    ("prepare_contribution", "model_prose"): [("contribute", "prepare", "--model-prose")],
}
"""By command and switch, the calls that must send nothing to a model."""


def switches() -> set[tuple[str, str]]:
    """Every switch about models: options of commands, and fields of the tools' inputs."""
    found: set[tuple[str, str]] = set()
    for name, command in every_command().items():
        found |= {(name, option) for parameter in command.params for option in parameter.opts}
    for name, spec in EVERYTHING.callable.items():
        found |= {(name, field) for field in spec.models()[0].model_fields}
    return {(name, switch) for name, switch in found if SWITCH.intersection(re.split(r"[-_]+", switch))}


@pytest.fixture
def servers(open_vendor: Callable[[VendorName], FakeOpenAI]) -> list[FakeOpenAI]:
    """A server that answers, and one that makes vectors."""
    opened = [open_vendor("openai"), open_vendor("gemini")]
    for each in opened:
        each.keys.add(KEY)
    opened[0].mind = lambda _: "Customers are in the shop [1]."
    return opened


@pytest.fixture
def project(tmp_path: Path, servers: list[FakeOpenAI]) -> Path:
    """A documented project with files in its collections."""
    answering, embedding = servers
    vectors = {"provider": "gemini", "name": "gemini-embedding-001", "dimensions": 768, "api_key_secret": "OPENAI"}
    entry = json.dumps({**vectors, "base_url": embedding.address})
    write_project(tmp_path, answering.address, SECTIONS.format(vectors=entry), DATABASES)
    (tmp_path / "exam.txt").write_text(f"{QUESTION}\n", encoding="utf-8")
    (tmp_path / "notes.md").write_text("# Orders\n\nCustomers order in the shop.\n", encoding="utf-8")
    for collection in COLLECTIONS[1:]:
        uploaded = tribal("upload", "notes.md", "--collection", collection, cwd=tmp_path, OPENAI=KEY)
        assert uploaded.returncode == 0, uploaded.stderr
    return tmp_path


def test_nothing_is_sent_to_a_model_where_a_switch_says_so(project: Path, servers: list[FakeOpenAI]) -> None:
    assert switches() == WITHOUT_MODELS.keys(), "add what each new switch must not send"
    before = [len(each.calls) for each in servers]
    for arguments in (each for calls in WITHOUT_MODELS.values() for each in calls):
        for form in ([], ["--json"]):
            done = tribal(*arguments, *form, cwd=project, OPENAI=KEY)
            assert "Traceback" not in done.stderr
            assert [len(each.calls) for each in servers] == before, [*arguments, *form]
            assert done.returncode in (0, 1, 3, 6, 9), done.stderr


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_same_questions_are_sent_without_the_switch(
    form: list[str], project: Path, servers: list[FakeOpenAI]
) -> None:
    for arguments in (each for each in ASKED if "--collection" in each):
        before = sum(len(each.calls) for each in servers)
        tribal(*(each for each in arguments if each != "--no-model"), *form, cwd=project, OPENAI=KEY)
        assert sum(len(each.calls) for each in servers) > before, arguments
