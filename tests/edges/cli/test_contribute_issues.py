"""`tribal contribute prepare --issue` with a model, a repository on GitHub and the sandbox, as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.contribution.writing.issues import BODY, EDITS, PACKAGE, PLANNED, SUITABLE, TITLE
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import tribal
from tests.fakes.github.server import READ_TOKEN, READS, WRITE_TOKEN, WRITES, FakeGitHub
from tests.fakes.model_servers.minds import schema_of
from tests.fakes.openai import KEY, FakeOpenAI
from tests.fakes.openai.vendor import VendorName
from tests.plugins.skips import skip_or_fail
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.errors import SandboxMissing

SECRETS: dict[str, Any] = {"OPENAI": KEY, "SHOP_READ": READ_TOKEN, "SHOP_WRITE": WRITE_TOKEN}
CONFIGURED = """databases: [{{name: shop, dsn: "postgresql://nobody@127.0.0.1:1/shop"}}]
models: {{writer: {model}}}
contribution:
  per_cycle_usd: {usd}
  repositories:
    - name: pricing
      url: {page}
      api_url: {api}
      tarball_host: "{archives}"
      databases: [shop]
      read_secret: SHOP_READ
      write_secret: SHOP_WRITE
"""


def mind(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """A model that does the issue."""
    data, wanted = json.loads(body["messages"][-1]["content"]), (schema_of(body) or {})["properties"]
    if "suitable" in wanted:
        return SUITABLE
    return PLANNED if "clear" in wanted else EDITS[data["role"]]


@contextmanager
def github_with_issues() -> Iterator[FakeGitHub]:
    """A package on GitHub, whose issues can be read."""
    github = FakeGitHub(dict(PACKAGE))
    github.tokens[READ_TOKEN] = {**READS, "issues": "read"}
    github.tokens[WRITE_TOKEN] = {**WRITES, "issues": "read"}
    yield github
    github.stop()


@pytest.fixture(name="github")
def github_fixture() -> Iterator[FakeGitHub]:
    with github_with_issues() as github:
        yield github


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path, github: FakeGitHub, open_vendor: Callable[[VendorName], FakeOpenAI]) -> Path:
    """A project whose repository is on GitHub, with a model."""
    model = open_vendor("openai")
    model.mind = mind
    entry = {"provider": "openai", "name": "gpt-6-luna", "api_key_secret": "OPENAI", "base_url": model.address}
    text = CONFIGURED.format(
        model=json.dumps(entry), page=github.page, api=github.api, archives=github.tarball_host, usd=2
    )
    (tmp_path / "databases.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_person_sees_the_cost_the_tests_and_the_diff_and_opens_a_pull_request(
    project: Path, github: FakeGitHub
) -> None:
    try:
        open_sandbox()
    except SandboxMissing as missing:
        skip_or_fail(missing.message)
    issue = github.pulls.ask(7, TITLE, BODY)
    unconfirmed = tribal("contribute", "prepare", "--issue", issue, "--model", "writer", cwd=project, **SECRETS)
    assert unconfirmed.returncode == 2
    assert "The model's part is estimated at about 5 calls" in unconfirmed.stderr
    assert "confirm on a terminal, or with --yes" in unconfirmed.stderr
    with Dialogue("contribute", "prepare", "--issue", issue, "--model", "writer", cwd=project, **SECRETS) as dialogue:
        dialogue.until("Continue?")
        dialogue.type("y\n")
        code, shown = dialogue.end()
    assert code == 0, shown
    assert "+    if gross_cents < 0:" in shown
    assert "check test: passed, make test" in shown
    assert "Ran 2 tests" in shown
    [digest] = [line.split()[-1] for line in shown.splitlines() if line.startswith("Hash:")]
    with Dialogue("contribute", "approve", 1, cwd=project, **SECRETS) as dialogue:
        dialogue.until("characters of the hash:")
        dialogue.type(f"{digest[:8]}\n")
        code, shown = dialogue.end()
    assert code == 0, shown
    [pull] = github.pulls.found
    assert (pull.title, pull.draft) == ("Refuse negative prices", False)
    budget = json.loads((project / "progress" / "budget.json").read_text(encoding="utf-8"))
    assert "cycle:1" in budget["accounts"]


def test_a_model_that_is_not_configured_is_named(project: Path, github: FakeGitHub) -> None:
    issue = github.pulls.ask(7, TITLE, BODY)
    refused = tribal("contribute", "prepare", "--issue", issue, "--model", "other", "--yes", cwd=project, **SECRETS)
    assert refused.returncode == 2
    assert "'other' is not under `models`" in refused.stderr
    unneeded = tribal("contribute", "prepare", "--model", "writer", cwd=project, **SECRETS)
    assert unneeded.returncode == 2
    assert "name one with --issue" in unneeded.stderr
