"""Clients of the stand-in, and what is published there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import SecretStr

from tests.adapters.git.repositories import Files
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub
from tribal.adapters.github.access import Timing
from tribal.adapters.github.address import GitHubAddress
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.repository import GitHubRepository
from tribal.adapters.github.tarball import TarballLimits
from tribal.adapters.github.tokens import AccessToken, NoToken
from tribal.ports.repositories import Forge, NewCommit, NewPullRequest, PullRequestState

FILES: Files = {
    "README.md": b"# Shop\n",
    "db/V1__first.sql": b"CREATE TABLE a (id int);\n",
    "deploy.sh": (0o100755, b"#!/bin/sh\n"),
    "latest": (0o120000, b"db"),
}
BRANCH = "tribal/12345678-1-describe-a"
NEW = NewCommit(
    base="",
    files={"db/V2__describe.sql": b"COMMENT ON TABLE a IS 'x';\n", "README.md": b"# The shop\n"},
    message="Describe a\n\nTribal-Cycle: 1:1",
    author="",
    at="2026-11-24T10:00:00Z",
)
PULL = NewPullRequest(
    branch=BRANCH, base="main", title="Describe a", body="<!-- tribal:1:1:pr -->", labels=["tribal"], draft=True
)


class Pauses(list[float]):
    """Pauses that a client asked for, which end at once."""

    def timing(self, **changes: Any) -> Timing:
        """The timing of a client."""
        return replace(Timing(pause=self.append, call_seconds=10.0), **changes)


def address_of(github: FakeGitHub) -> GitHubAddress:
    """The address of the stand-in's repository."""
    return GitHubAddress.of(github.page, github.api, github.tarball_host)


def client_of(
    github: FakeGitHub, token: str | None = READ_TOKEN, pauses: Pauses | None = None, **changes: Any
) -> GitHubClient:
    """A client that does not pause."""
    tokens = NoToken() if token is None else AccessToken(SecretStr(token), "read_secret")
    timing = (Pauses() if pauses is None else pauses).timing(**changes)
    return GitHubClient(address_of(github), tokens, timing, most_bytes=100_000)


def repository_of(github: FakeGitHub, **limits: int) -> GitHubRepository:
    """The stand-in's repository."""
    return GitHubRepository(client_of(github), limits=TarballLimits(**limits))


def forge_of(github: FakeGitHub) -> GitHubForge:
    """The stand-in's forge."""
    return GitHubForge(client_of(github, WRITE_TOKEN))


def publish(forge: Forge, base: str, files: Mapping[str, bytes | None] = NEW.files) -> PullRequestState:
    """Publish as a contribution is published: whatever exists is found."""
    if forge.find_branch(BRANCH) is None:
        forge.create_branch(BRANCH, forge.write_commit(replace(NEW, base=base, files=files)))
    return forge.open_pull_request(PULL)
