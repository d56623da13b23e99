"""Local clones, as `Repository` and `Forge`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from dulwich.objects import ObjectID
from dulwich.repo import Repo

from tests.adapters.git.clones import clone_with, merge_commit
from tests.adapters.git.repositories import commit
from tests.conformance.repository import *  # noqa: F403 - the tests
from tests.conformance.repository import FILES, CommitToBase, Merge
from tribal.adapters.git.local_clone import LocalCloneRepository, LocalForge
from tribal.ports.repositories import Forge, Repository


@pytest.fixture(name="clone")
def clone_fixture(tmp_path: Path) -> Iterator[Repo]:
    with clone_with(tmp_path / "shop", FILES) as made:
        yield made


@pytest.fixture(name="commit_to_base")
def commit_to_base_fixture(clone: Repo) -> CommitToBase:
    def commit_to_base(files: Mapping[str, bytes | tuple[int, bytes]]) -> str:
        return commit(clone, files).decode()

    return commit_to_base


@pytest.fixture(name="merge")
def merge_fixture(clone: Repo) -> Merge:
    return lambda name: merge_commit(clone, ObjectID(name.encode()))


@pytest.fixture(name="repository")
def repository_fixture(clone: Repo) -> Iterator[Repository]:
    made = LocalCloneRepository(Path(clone.path))
    yield made
    made.close()


@pytest.fixture(name="forge")
def forge_fixture(clone: Repo) -> Iterator[Forge]:
    made = LocalForge(Path(clone.path))
    yield made
    made.close()
