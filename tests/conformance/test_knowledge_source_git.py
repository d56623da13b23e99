"""Git repositories, here and behind a URL, as `KnowledgeSource`s."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dulwich.repo import Repo
from pydantic import SecretStr

from tests.adapters.git.repositories import commit, git_application, repository, serving
from tests.conformance.knowledge_source import *  # noqa: F403 - the tests
from tests.conformance.knowledge_source import FILES, Change
from tribal.adapters.git.knowledge import GitKnowledge
from tribal.adapters.git.remote import RemoteGitKnowledge
from tribal.ports.remembering.knowledge_source import KnowledgeSource


@pytest.fixture(name="origin")
def origin_fixture(tmp_path: Path) -> Repo:
    return repository(tmp_path / "origin", FILES)


@pytest.fixture(name="change")
def change_fixture(origin: Repo) -> Change:
    held = dict(FILES)

    def change(path: str, data: bytes | None) -> None:
        held.pop(path)
        if data is not None:
            held[path] = data
        commit(origin, held)

    return change


@pytest.fixture(name="source", params=["here", "elsewhere"])
def source_fixture(tmp_path: Path, origin: Repo, request: pytest.FixtureRequest) -> Iterator[KnowledgeSource]:
    if request.param == "here":
        here = GitKnowledge(tmp_path / "origin")
        yield here
        here.close()
        return
    with serving(git_application({"/x.git": origin}, "secret-token")) as address:
        token = SecretStr("secret-token")
        there = RemoteGitKnowledge(f"{address}/x.git", None, tmp_path / "mirror", lambda: token, 20.0)
        yield there
        there.close()
