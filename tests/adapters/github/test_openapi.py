"""Requests, and what the stand-in answers, are as GitHub's description of its API says."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests import ROOT
from tests.adapters.github.clients import BRANCH, FILES, NEW, PULL, Pauses, address_of, publish
from tests.adapters.github.description import PATHS, Description
from tests.adapters.github.test_tokens import Clock, tokens_of
from tests.edges.mcp.typescript_client import installed, run
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, WRITES, FakeGitHub
from tests.waiting import wait_until
from tribal.adapters.github.access import Conflict, Tokens
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.repository import GitHubRepository
from tribal.adapters.github.tokens import AccessToken
from tribal.errors import ForgeUnreachable
from tribal.ports.repositories import ForgeChecks

SOURCES = Path(__file__).parent / "openapi"
CACHE = ROOT / ".cache" / "github-openapi"
PRISM = "node_modules/@stoplight/prism-cli/dist/index.js"
REFS, LAST = "/repos/acme/shop/git/refs", "refs/heads/without-a-commit"
VIOLATIONS = ("Violation", "VIOLATION", "terminated with error")
pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("prism")]


@dataclass
class Checked:
    """The stand-in behind a proxy that checks requests and answers.

    Args:
        github: the stand-in. api: address of the proxy. log: what it reports.
    """

    github: FakeGitHub
    api: str
    log: Path

    def client(self, tokens: Tokens) -> GitHubClient:
        """A client through the proxy."""
        timing = Pauses().timing(call_seconds=60.0, now=self.github.now)
        return GitHubClient(replace(address_of(self.github), api=self.api), tokens, timing)

    def violations(self) -> list[str]:
        """Return what the proxy reports, after one violation that shows that it has reported all."""
        client = self.client(AccessToken(SecretStr(WRITE_TOKEN), "write_secret"))
        assert isinstance(client.post(REFS, {"ref": LAST}), Conflict)
        lines = wait_until(lambda: found if (found := self._lines()) and "UNPROCESSABLE_ENTITY" in found[-1] else [])
        return lines[:-1]

    def _lines(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if any(word in line for word in VIOLATIONS)]


@pytest.fixture(name="description", scope="module")
def description_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = installed(SOURCES, CACHE, "GitHub's description of its API and Prism")
    reduced = tmp_path_factory.mktemp("openapi") / "github.json"
    done = run(shutil.which("node") or "node", "ask.mjs", str(reduced), *PATHS, cwd=folder)
    assert done.returncode == 0, done.stderr
    return reduced


@pytest.fixture(name="checked")
def checked_fixture(description: Path, tmp_path: Path) -> Iterator[Checked]:
    folder = installed(SOURCES, CACHE, "GitHub's description of its API and Prism")
    complete = Description(json.loads(description.read_text())).complete
    # The description has conditional requests, but not the status that answers them.
    github = FakeGitHub(FILES, complete=complete, sends_etags=False)
    github.tokens[WRITE_TOKEN] = {**WRITES, "actions": "read", "issues": "read"}
    with proxying(folder, description, github, tmp_path / "log") as checked:
        yield checked
    github.stop()


@contextmanager
def proxying(folder: Path, description: Path, github: FakeGitHub, log: Path) -> Iterator[Checked]:
    """Start the proxy in front of the stand-in."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [shutil.which("node") or "node", PRISM, "proxy", "--errors", "-h", "127.0.0.1", "-p", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen([*command, str(description), github.api], cwd=folder, stdout=output, stderr=output)
        try:
            wait_until(lambda: process.poll() is not None or "is listening" in log.read_text())
            assert process.poll() is None, log.read_text()
            yield Checked(github, f"http://127.0.0.1:{port}", log)
        finally:
            process.kill()
            process.wait()


def test_requests_and_answers_match_the_description(checked: Checked) -> None:
    github, clock = checked.github, Clock()
    reading = checked.client(AccessToken(SecretStr(READ_TOKEN), "read_secret"))
    repository = GitHubRepository(reading)
    base = repository.state().base_commit
    # Read by itself: the proxy would follow the redirect of an archive.
    assert repository.tree(base).read("latest") == b"db"
    tokens = tokens_of(github, "publish", clock, replace(address_of(github), api=checked.api))
    forge = GitHubForge(checked.client(tokens))
    pull = publish(forge, base, {**NEW.files, "db/V1__first.sql": None})
    assert publish(forge, base) == pull
    assert not forge.create_branch(BRANCH, base)
    assert forge.merged_at(base) == base
    shown = github.pulls.found[0]
    shown.say("ann", "Why?")
    shown.say("bo", "Here", "README.md", 1)
    shown.review("bo", "CHANGES_REQUESTED", "Please rename")
    github.pulls.check_runs[pull.head] = [{"status": "completed", "conclusion": "success"}]
    github.pulls.statuses[pull.head] = [{"state": "success"}]
    activity = forge.activity(pull.number)
    assert (len(activity.reviews), len(activity.comments), activity.checks) == (1, 2, ForgeChecks(2, 0, 0))
    second = forge.write_commit(replace(NEW, base=pull.head, files={"README.md": b"# Two\n"}))
    assert forge.move_branch(BRANCH, second, pull.head)
    forge.reply(pull.number, "Done.", "Done.")
    forge.reply(pull.number, "Here too.", "Here too.", activity.comments[1].id)
    github.objects.commit({**FILES, "db/V3__other.sql": b"SELECT 1;\n"}, "other")
    forge.open_pull_request(replace(PULL, branch="other", body="", labels=[]))
    assert forge.added_elsewhere() == {"db/V3__other.sql": pull.number + 1}
    github.pulls.merge(pull.number)
    merged = forge.find_pull_request(BRANCH)
    assert merged is not None
    assert merged.state == "merged"
    assert checked.violations() == []


def test_runs_of_actions_match_the_description(checked: Checked) -> None:
    tokens = AccessToken(SecretStr(WRITE_TOKEN), "write_secret")
    found = checked.client(tokens).pages(
        f"/repos/acme/shop/actions/runs?head_sha={'0' * 40}&per_page=100", "workflow_runs"
    )
    assert found == []
    assert checked.violations() == []


def test_an_issue_matches_the_description(checked: Checked) -> None:
    url = checked.github.pulls.ask(7, "Describe a")
    issue = GitHubForge(checked.client(AccessToken(SecretStr(WRITE_TOKEN), "write_secret"))).read_issue(7)
    assert (issue.url, issue.body, issue.is_open, list(issue.labels)) == (url, "", True, ["docs", "help"])
    assert checked.violations() == []


def test_a_violation_is_noticed(checked: Checked) -> None:
    client = checked.client(AccessToken(SecretStr(WRITE_TOKEN), "write_secret"))
    assert checked.violations() == []
    # The request did not get through.
    assert checked.github.calls == []
    checked.github.complete = lambda _route, _status, _body: {"ref": 1}
    with pytest.raises(ForgeUnreachable):
        client.get("/repos/acme/shop/git/ref/heads%2Fmain")
