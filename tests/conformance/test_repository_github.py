"""The stand-in for GitHub, as `Repository` and `Forge`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from tests.conformance.repository import *  # noqa: F403 - the tests
from tests.conformance.repository import FILES, CommitToBase, Merge
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub
from tribal.adapters.github.address import GitHubAddress
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.repository import GitHubRepository
from tribal.adapters.github.tokens import AccessToken
from tribal.ports.repositories import Forge, Repository


@pytest.fixture(name="github")
def github_fixture() -> Iterator[FakeGitHub]:
    made = FakeGitHub(FILES)
    yield made
    made.stop()
    assert made.leaks == []


@pytest.fixture(name="commit_to_base")
def commit_to_base_fixture(github: FakeGitHub) -> CommitToBase:
    return github.objects.commit


@pytest.fixture(name="merge")
def merge_fixture(github: FakeGitHub) -> Merge:
    def merge(name: str) -> None:
        github.objects.merge(name)

    return merge


def _client(github: FakeGitHub, token: str) -> GitHubClient:
    address = GitHubAddress.of(github.page, github.api, github.tarball_host)
    return GitHubClient(address, AccessToken(SecretStr(token), "write_secret"))


@pytest.fixture(name="repository")
def repository_fixture(github: FakeGitHub) -> Iterator[Repository]:
    made = GitHubRepository(_client(github, READ_TOKEN))
    yield made
    made.close()


@pytest.fixture(name="forge")
def forge_fixture(github: FakeGitHub) -> Iterator[Forge]:
    made = GitHubForge(_client(github, WRITE_TOKEN))
    yield made
    made.close()


def test_the_state_names_the_newest_commit_of_the_base_branch(  # type: ignore[no-redef]
    repository: Repository, commit_to_base: CommitToBase
) -> None:
    before = repository.state()
    assert (before.base_branch, before.default_branch) == ("main", "main")
    name = commit_to_base({"other": b""})
    after = repository.state()
    assert before.base_commit != after.base_commit == name
    # The token's owner or the App, so that GitHub signs.
    assert after.author == ""
    assert repository.location
