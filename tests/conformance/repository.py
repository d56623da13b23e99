"""What holds of every `Repository` and of the `Forge` that publishes in it.

A module that is held to it supplies the fixtures `repository` and `forge` over the same repository, whose branch main
holds `FILES`; `commit_to_base`, which commits a whole tree to main and returns the commit's name; and `merge`, which
makes main contain a commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from tests.cases import each_case
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import Forge, NewCommit, Repository

SCRIPT = (0o100755, b"#!/bin/sh\n")
LINK = (0o120000, b"db/migrations")
SUBMODULE = (0o160000, b"1" * 40)
FILES: Mapping[str, bytes | tuple[int, bytes]] = {
    "README.md": b"# Shop\n",
    "db/migrations/V1__first.sql": b"CREATE TABLE a (id int);\n",
    "db/migrations/a folder/\u00fcml\u00e4ut \U0001f419.sql": b"",
    "deploy.sh": SCRIPT,
    "latest": LINK,
    "vendored": SUBMODULE,
}
NEW = NewCommit(
    base="",
    files={"db/migrations/V2__describe.sql": b"COMMENT ON TABLE a IS 'x';\n"},
    message="Describe a\n\nTribal-Cycle: 1:1",
    author="Ada L\u00f6we <ada@example.com>",
    at="2026-11-24T10:00:00Z",
)
BRANCH = "tribal/12345678-1-describe-a"
CommitToBase = Callable[[Mapping[str, bytes | tuple[int, bytes]]], str]
Merge = Callable[[str], None]


def new_commit(repository: Repository, **changes: object) -> NewCommit:
    """A commit on the base branch."""
    return replace(NEW, base=repository.state().base_commit, **changes)  # type: ignore[arg-type]


def published(repository: Repository, forge: Forge) -> str:
    """The name of a commit that has a branch."""
    name = forge.write_commit(new_commit(repository))
    assert forge.create_branch(BRANCH, name)
    return name


def test_the_state_names_the_newest_commit_of_the_base_branch(
    repository: Repository, commit_to_base: CommitToBase
) -> None:
    before = repository.state()
    assert (before.base_branch, before.default_branch) == ("main", "main")
    name = commit_to_base({"other": b""})
    after = repository.state()
    assert before.base_commit != after.base_commit == name
    assert " <" in after.author
    assert repository.location


def test_a_tree_lists_every_file_in_order_with_its_kind(repository: Repository) -> None:
    tree = repository.tree(repository.state().base_commit)
    assert tree.commit == repository.state().base_commit
    assert list(tree.entries) == sorted(FILES)
    kinds = {path: entry.kind for path, entry in tree.entries.items() if entry.kind != "file"}
    assert kinds == {"deploy.sh": "executable", "latest": "link", "vendored": "submodule"}
    assert {path: tree.read(path) for path, data in FILES.items() if isinstance(data, bytes)} == {
        path: data for path, data in FILES.items() if isinstance(data, bytes)
    }


@each_case("path", ["absent", "db", "db/migrations/", "/README.md", "../README.md", "vendored", "", "README.md/x"])
def test_what_is_no_file_of_a_tree_is_not_read(repository: Repository, path: str) -> None:
    tree = repository.tree(repository.state().base_commit)
    with pytest.raises(KeyError):
        tree.read(path)


def test_a_tree_stays_as_it_was(repository: Repository, commit_to_base: CommitToBase) -> None:
    tree = repository.tree(repository.state().base_commit)
    commit_to_base({"README.md": b"changed"})
    assert tree.read("README.md") == FILES["README.md"]
    assert tree.commit != repository.state().base_commit


@each_case("name", ["0" * 40, "0" * 64, "", "main", "HEAD", "--all", "\0", "\ud800"])
def test_a_commit_that_does_not_exist_is_reported(repository: Repository, forge: Forge, name: str) -> None:
    with pytest.raises(RepositoryUnusable, match="no commit"):
        repository.tree(name)
    with pytest.raises(RepositoryUnusable, match="no commit"):
        forge.write_commit(replace(NEW, base=name))
    with pytest.raises(RepositoryUnusable, match="no commit"):
        forge.create_branch(BRANCH, name)


def test_a_commit_changes_only_its_files(repository: Repository, forge: Forge) -> None:
    files = {
        "deploy.sh": b"#!/bin/bash\n",
        "db/migrations/V1__first.sql": None,
        "db/new folder/\u00e9t\u00e9/x.sql": b"\r\n\xff",
    }
    name = forge.write_commit(new_commit(repository, files=files))
    before = repository.tree(repository.state().base_commit)
    after = repository.tree(name)
    assert {path: after.read(path) for path, data in files.items() if data is not None} == {
        path: data for path, data in files.items() if data is not None
    }
    assert after.entries["deploy.sh"].kind == "executable"
    assert after.entries["db/new folder/\u00e9t\u00e9/x.sql"].kind == "file"
    assert {path: entry for path, entry in after.entries.items() if path not in files} == {
        path: entry for path, entry in before.entries.items() if path not in files
    }
    assert "db/migrations/V1__first.sql" not in after.entries


def test_the_last_file_of_a_folder_takes_the_folder_with_it(repository: Repository, forge: Forge) -> None:
    folder = {path: None for path in FILES if path.startswith("db/")}
    tree = repository.tree(forge.write_commit(new_commit(repository, files=folder)))
    assert {*tree.entries} == {*FILES} - {*folder}
    again = forge.write_commit(replace(NEW, base=tree.commit, files={"db": b"now a file"}))
    assert repository.tree(again).read("db") == b"now a file"
    everything = {path: None for path, data in FILES.items() if data not in (LINK, SUBMODULE)}
    assert {*repository.tree(forge.write_commit(new_commit(repository, files=everything))).entries} == {
        "latest",
        "vendored",
    }


def test_equal_commits_have_equal_names(repository: Repository, forge: Forge) -> None:
    first = forge.write_commit(new_commit(repository))
    assert forge.write_commit(new_commit(repository)) == first
    assert forge.write_commit(new_commit(repository, at="2026-11-24T10:00:00+00:00")) == first
    others = [
        new_commit(repository, at="2026-11-24T10:00:01Z"),
        new_commit(repository, message="x"),
        new_commit(repository, author="Bo <bo@example.com>"),
        new_commit(repository, files={"x": b""}),
    ]
    assert len({first, *map(forge.write_commit, others)}) == len(others) + 1


@each_case(
    "path",
    ["", "/x", "x/", "a//b", ".", "../x", "a/../b", ".git/hooks/pre-commit", "a/.GIT/x", "\0", "a\0b", "\ud800"],
)
def test_a_path_that_leaves_the_repository_is_refused(repository: Repository, forge: Forge, path: str) -> None:
    with pytest.raises(RepositoryUnusable):
        forge.write_commit(new_commit(repository, files={path: b"x"}))


@each_case(
    "files",
    [
        {"latest": b"x"},
        {"vendored": b"x"},
        {"vendored/x": b"x"},
        {"latest/x": b"x"},
        {"README.md/x": b"x"},
        {"db": b"x"},
        {"db": None},
        {"absent": None},
        {"absent/x": None},
        {"a": b"", "a/b": b""},
        {"a/b": b"", "a": b""},
    ],
)
def test_links_submodules_and_folders_are_not_replaced(
    repository: Repository, forge: Forge, files: Mapping[str, bytes | None]
) -> None:
    with pytest.raises(RepositoryUnusable):
        forge.write_commit(new_commit(repository, files=files))


def test_a_branch_is_found_as_it_was_created(repository: Repository, forge: Forge) -> None:
    assert forge.find_branch(BRANCH) is None
    name = published(repository, forge)
    found = forge.find_branch(BRANCH)
    assert found is not None
    assert (found.name, found.tip, found.message, found.commits_ahead) == (BRANCH, name, NEW.message, 1)


def test_a_branch_that_exists_stays_as_it_is(repository: Repository, forge: Forge) -> None:
    name = published(repository, forge)
    other = forge.write_commit(new_commit(repository, message="Other"))
    assert not forge.create_branch(BRANCH, name)
    assert not forge.create_branch(BRANCH, other)
    found = forge.find_branch(BRANCH)
    assert found is not None
    assert found.tip == name


@each_case(
    "name",
    [
        "main",
        "feature",
        "tribal",
        "tribal/",
        "Tribal/x",
        "tribal//x",
        "tribal/../main",
        "tribal/..",
        "tribal/a b",
        "tribal/x.lock",
        "tribal/.x",
        "tribal/x~1",
        "tribal/x^",
        "tribal/x:y",
        "tribal/x?",
        "tribal/@{1}",
        "tribal/x\n",
        "tribal/\0",
        "tribal/\ud800",
        "refs/heads/tribal/x",
        "../tribal/x",
        "HEAD",
        "",
    ],
)
def test_a_branch_is_created_only_where_contributions_belong(repository: Repository, forge: Forge, name: str) -> None:
    commit = forge.write_commit(new_commit(repository))
    before = repository.state()
    with pytest.raises(RepositoryUnusable):
        forge.create_branch(name, commit)
    assert repository.state() == before


def test_a_branch_is_merged_when_the_default_branch_contains_its_tip(
    repository: Repository, forge: Forge, merge: Merge, commit_to_base: CommitToBase
) -> None:
    name = published(repository, forge)
    assert forge.merged_at(name) is None
    assert forge.merged_at("0" * 40) is None
    commit_to_base({"other": b""})
    assert forge.merged_at(name) is None
    merge(name)
    assert forge.merged_at(name) == repository.state().base_commit
    found = forge.find_branch(BRANCH)
    assert found is not None
    assert found.commits_ahead == 0
    newest = commit_to_base({"another": b""})
    assert forge.merged_at(name) == newest


def test_at_most_a_hundred_commits_ahead_are_counted(repository: Repository, forge: Forge) -> None:
    name = repository.state().base_commit
    for number in range(120):
        name = forge.write_commit(replace(NEW, base=name, files={"x": str(number).encode()}))
    assert forge.create_branch(BRANCH, name)
    found = forge.find_branch(BRANCH)
    assert found is not None
    assert found.commits_ahead == 100


def test_closing_twice_does_no_harm(repository: Repository, forge: Forge) -> None:
    repository.close()
    repository.close()
    forge.close()
    forge.close()
