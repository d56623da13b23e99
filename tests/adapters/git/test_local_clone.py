"""A local clone is read and gets a branch; nothing else in it changes, and nothing that it configures is run."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.adapters.git.clones import Open, clone_with, git
from tests.cases import each_case
from tests.conformance.repository import BRANCH, NEW
from tribal.adapters.git import local_clone
from tribal.adapters.git.local_clone import LocalCloneRepository, LocalForge
from tribal.errors import RepositoryUnreadable, RepositoryUnusable

PROGRAMS = (
    ("filter", "planted", "clean"),
    ("filter", "planted", "smudge"),
    ("filter", "planted", "process"),
    ("core", "", "fsmonitor"),
    ("core", "", "sshCommand"),
    ("core", "", "hooksPath"),
    ("core", "", "alternateRefsCommand"),
    ("gpg", "", "program"),
    ("credential", "", "helper"),
    ("merge", "planted", "driver"),
    ("diff", "planted", "textconv"),
)
HOOKS = (
    "pre-commit",
    "commit-msg",
    "prepare-commit-msg",
    "post-commit",
    "reference-transaction",
    "post-index-change",
    "pre-auto-gc",
)


def advance(folder: Path, name: str = "b.sql") -> str:
    """Commit a new file, and return the commit's name."""
    (folder / name).write_text("SELECT 1;\n")
    git(folder, "add", name)
    git(folder, "commit", "--quiet", f"--message={name}")
    return git(folder, "rev-parse", "HEAD")


def publish(repository: LocalCloneRepository, forge: LocalForge) -> str:
    """Create the branch, and return its commit's name."""
    name = forge.write_commit(replace(NEW, base=repository.state().base_commit))
    assert forge.create_branch(BRANCH, name)
    return name


def files_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The content and the time of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_dirty_work_tree_and_its_index_stay_as_they_are(clone: Path, opened: Open) -> None:
    (clone / "a.sql").write_text("changed\n")
    (clone / "new.sql").write_text("new\n")
    (clone / "staged.sql").write_text("staged\n")
    git(clone, "add", "staged.sql")
    status, before = git(clone, "status", "--porcelain"), files_of(clone)
    repository, forge = opened(clone)
    name = publish(repository, forge)
    after = files_of(clone)
    written = {path for path in after if path not in before}
    assert {path for path in before if before[path] != after.get(path)} == set()
    assert {path for path in written if not path.startswith(".git/objects/")} == {f".git/refs/heads/{BRANCH}"}
    assert git(clone, "status", "--porcelain") == status
    assert git(clone, "rev-parse", BRANCH) == name
    assert git(clone, "fsck", "--strict", "--no-dangling") == ""


def test_git_shows_the_commit_as_it_was_given(clone: Path, opened: Open) -> None:
    publish(*opened(clone))
    shown = git(clone, "log", "-1", "--format=%an <%ae>|%cn <%ce>|%aI|%cI|%B", BRANCH)
    assert shown == "Ada L\u00f6we <ada@example.com>|Ada L\u00f6we <ada@example.com>|" + "|".join(
        ("2026-11-24T10:00:00+00:00", "2026-11-24T10:00:00+00:00", NEW.message)
    )
    assert git(clone, "diff", "--name-status", f"main...{BRANCH}") == "A\tdb/migrations/V2__describe.sql"


def test_nothing_that_a_clone_names_is_run(clone: Path, opened: Open, tmp_path: Path) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    lines = [
        f'[{one} "{two}"]\n{key} = {program}\n' if two else f"[{one}]\n{key} = {program}\n"
        for one, two, key in PROGRAMS
    ]
    signed = "[commit]\ngpgSign = true\n[tag]\ngpgSign = true\n[gc]\nauto = 1\n"
    with (clone / ".git/config").open("a") as file:
        file.write("".join(lines) + signed + f"[include]\npath = {tmp_path / 'included'}\n")
    os.mkfifo(tmp_path / "included")  # opening it would block
    (clone / ".git/info/attributes").write_text("* filter=planted diff=planted merge=planted\n")
    for hook in HOOKS:
        (clone / ".git/hooks" / hook).write_text(program.read_text())
        (clone / ".git/hooks" / hook).chmod(0o755)
    repository, forge = opened(clone)
    name = publish(repository, forge)
    assert repository.uncommitted(["a.sql"]) == []
    assert forge.find_branch(BRANCH) is not None
    assert forge.merged_at(name) is None
    assert not ran.exists()
    assert b"gpgsig" not in repository_object(forge, name)


def repository_object(forge: LocalForge, name: str) -> bytes:
    """The bytes of an object."""
    return forge._clone.require_commit(name).as_raw_string()


def test_a_detached_head_and_another_branch_do_not_change_the_base(clone: Path, opened: Open) -> None:
    expected = opened(clone)[0].state()
    for checkout in (["--quiet", "--detach", "HEAD~1"], ["--quiet", "-b", "feature"]):
        git(clone, "checkout", *checkout)
        assert opened(clone)[0].state() == expected
    git(clone, "remote", "remove", "origin")
    without = opened(clone)[0].state()
    assert (without.base_branch, without.base_commit, without.url) == ("main", expected.base_commit, "")


def test_a_work_tree_is_a_clone_of_its_own_with_the_same_branches(clone: Path, opened: Open, tmp_path: Path) -> None:
    git(clone, "worktree", "add", "--quiet", "-b", "feature", str(tmp_path / "tree"))
    repository, forge = opened(tmp_path / "tree")
    state = repository.state()
    assert (state.name, state.base_branch) == ("tree", "main")
    name = publish(repository, forge)
    assert git(clone, "rev-parse", BRANCH) == name
    assert git(tmp_path / "tree", "status", "--porcelain") == ""


def test_packed_objects_and_branches_are_found(clone: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    name = publish(repository, forge)
    git(clone, "pack-refs", "--all")
    git(clone, "gc", "--quiet")
    repository, forge = opened(clone)
    found = forge.find_branch(BRANCH)
    assert found is not None
    assert found.tip == name
    assert not forge.create_branch(BRANCH, repository.state().base_commit)
    assert repository.tree(name).read("a.sql") == b"SELECT 1;\n"
    assert forge.write_commit(replace(NEW, base=repository.state().base_commit)) == name


def test_a_repository_with_sha_256_gets_a_branch(tmp_path: Path, opened: Open) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "long")
    folder = tmp_path / "long"
    for name in ("a.sql", "b.sql"):
        advance(folder, name)
    git(folder, "gc", "--quiet")
    repository, forge = opened(folder)
    name = publish(repository, forge)
    assert len(name) == 64
    assert repository.tree(name).read("a.sql") == b"SELECT 1;\n"
    assert forge.merged_at(name) is None
    git(folder, "merge", "--quiet", "--no-ff", BRANCH)
    assert forge.merged_at(name) == repository.state().base_commit
    assert git(folder, "fsck", "--strict") == ""


def test_the_base_branch_may_be_ahead_of_its_remote_but_not_behind(clone: Path, origin: Path, opened: Open) -> None:
    git(origin, "branch", "develop")
    git(clone, "fetch", "--quiet")
    git(clone, "branch", "--quiet", "develop", "origin/develop")
    ahead = advance(clone, "ahead.sql")
    assert opened(clone)[0].state().base_commit == ahead
    advance(origin)
    git(origin, "checkout", "--quiet", "develop")
    advance(origin, "develop.sql")
    git(clone, "fetch", "--quiet")
    with pytest.raises(RepositoryUnusable, match="diverged"):
        opened(clone)[0].state()
    with pytest.raises(RepositoryUnusable, match=r"behind.*fetch origin develop:develop"):
        opened(clone, "develop")[0].state()
    git(clone, "reset", "--quiet", "--hard", "HEAD~1")
    with pytest.raises(RepositoryUnusable, match=r"behind.*git -C .*clone pull`"):
        opened(clone)[0].state()
    git(clone, "pull", "--quiet")
    git(clone, "fetch", "--quiet", "origin", "develop:develop")
    assert opened(clone)[0].state().base_branch == "main"
    assert opened(clone, "develop")[0].state().base_branch == "develop"


def test_a_branch_is_merged_when_the_remote_has_it(clone: Path, origin: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    name = publish(repository, forge)
    git(clone, "merge", "--quiet", "--ff-only", BRANCH)
    assert forge.merged_at(name) is None
    git(origin, "checkout", "--quiet", "--detach")
    git(clone, "push", "--quiet", "origin", "main")
    assert forge.merged_at(name) == name


def test_a_branch_that_is_checked_out_is_not_the_default_branch(tmp_path: Path, opened: Open) -> None:
    clone_with(tmp_path / "shop", {"a": b""}).close()
    folder = tmp_path / "shop"
    git(folder, "branch", "--move", "main", "trunk")
    repository, forge = opened(folder)
    assert repository.state().default_branch == "trunk"
    name = publish(repository, forge)
    git(folder, "symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
    with pytest.raises(RepositoryUnusable, match="set `base`"):
        forge.merged_at(name)
    assert opened(folder, "trunk")[1].merged_at(name) is None


@each_case(
    "arguments, message",
    [
        (["clone", "--quiet", "--depth=1", "file://{origin}", "copy"], "shallow.*--unshallow"),
        (["clone", "--quiet", "--bare", "{origin}", "copy"], "is bare"),
        (["clone", "--quiet", "{origin}", "copy", "--config=core.bare=true"], "is bare"),
        (["init", "--quiet", "copy"], "no commit"),
        (["clone", "--quiet", "{origin}", "copy", "--config=extensions.unheardOf=1"], "unheardof"),
    ],
)
def test_a_clone_that_cannot_be_used_says_what_to_do(
    arguments: list[str], message: str, origin: Path, tmp_path: Path, opened: Open
) -> None:
    git(tmp_path, *(part.format(origin=origin) for part in arguments))
    if "extensions" in arguments[-1]:
        git(tmp_path, "config", "--file", "copy/.git/config", "core.repositoryformatversion", "1")
    with pytest.raises(RepositoryUnusable, match=message):
        opened(tmp_path / "copy")[0].state()


@each_case("name", ["absent", "file", "plain", "clone/inside", "clone/.git/refs"])
def test_what_is_no_repository_is_reported(name: str, clone: Path, tmp_path: Path, opened: Open) -> None:
    root = clone.parent
    (root / "file").write_text("")
    (root / "plain").mkdir(exist_ok=True)
    (clone / "inside").mkdir(exist_ok=True)
    with pytest.raises(RepositoryUnreadable, match=r"does not exist|not the root"):
        opened(root / name)[0].state()


def test_a_missing_base_branch_is_reported(clone: Path, origin: Path, opened: Open) -> None:
    with pytest.raises(RepositoryUnusable, match="no branch 'absent'; set `base`"):
        opened(clone, "absent")[0].state()
    git(origin, "branch", "develop")
    git(clone, "fetch", "--quiet")
    with pytest.raises(RepositoryUnusable, match="branch develop origin/develop"):
        opened(clone, "develop")[0].state()


def test_a_partial_clone_names_the_command_that_completes_it(origin: Path, tmp_path: Path, opened: Open) -> None:
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{origin}", "copy")
    repository, _ = opened(tmp_path / "copy")
    tree = repository.tree(repository.state().base_commit)
    assert "a.sql" in tree.entries
    with pytest.raises(RepositoryUnusable, match="--refetch --no-filter"):
        tree.read("a.sql")
    git(tmp_path / "copy", "fetch", "--quiet", "--refetch", "--no-filter")
    assert opened(tmp_path / "copy")[0].tree(tree.commit).read("a.sql") == b"SELECT 1;\n"


def test_a_damaged_object_is_reported(clone: Path, opened: Open) -> None:
    repository, _ = opened(clone)
    tree = repository.tree(repository.state().base_commit)
    blob = tree.entries["a.sql"].blob
    place = clone / ".git/objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:-8])
    with pytest.raises(RepositoryUnreadable, match="fsck"):
        tree.read("a.sql")


def test_too_many_files_and_too_large_ones_are_refused(
    clone: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, _ = opened(clone)
    tree = repository.tree(repository.state().base_commit)
    monkeypatch.setattr(local_clone, "MOST_FILE_BYTES", 9)
    with pytest.raises(RepositoryUnusable, match="more than 9 bytes"):
        tree.read("a.sql")
    monkeypatch.setattr(local_clone, "MOST_FILES", 1)
    with pytest.raises(RepositoryUnusable, match="more than 1 files"):
        assert repository.tree(tree.commit).entries


def test_a_file_whose_name_is_not_utf_8_is_left_out_and_kept(tmp_path: Path, opened: Open) -> None:
    folder = tmp_path / "shop"
    clone_with(folder, {"a": b"", b"\xff".decode(errors="surrogateescape"): b"x"}).close()
    repository, forge = opened(folder)
    assert list(repository.tree(repository.state().base_commit).entries) == ["a"]
    publish(repository, forge)
    assert len(git(folder, "ls-tree", BRANCH).splitlines()) == 3


def test_uncommitted_files_are_named(clone: Path, opened: Open) -> None:
    repository, _ = opened(clone)
    paths = ["a.sql", "run.sh", "new.sql", "absent.sql", "absent/x.sql", "a.sql/x"]
    assert repository.uncommitted(paths) == []
    (clone / "a.sql").write_bytes(b"SELECT 1;\r\n")
    assert repository.uncommitted(paths) == []
    (clone / "a.sql").write_text("SELECT 2;\n")
    (clone / "new.sql").write_text("")
    (clone / "run.sh").unlink()
    assert repository.uncommitted(paths) == ["a.sql", "run.sh", "new.sql"]
    (clone / "a.sql").unlink()
    os.mkfifo(clone / "a.sql")
    assert repository.uncommitted(["a.sql"]) == ["a.sql"]


def test_branches_in_the_way_are_named(clone: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    name = forge.write_commit(replace(NEW, base=repository.state().base_commit))
    for pack in ([], ["pack-refs", "--all"]):
        git(clone, "branch", "tribal")
        git(clone, *(pack or ["version"]))
        with pytest.raises(RepositoryUnusable, match="branch -m tribal NEW-NAME"):
            forge.create_branch(BRANCH, name)
        git(clone, "branch", "--delete", "tribal")
        git(clone, "branch", f"{BRANCH}/below")
        git(clone, *(pack or ["version"]))
        with pytest.raises(RepositoryUnusable, match="below"):
            forge.create_branch(BRANCH, name)
        git(clone, "branch", "--delete", f"{BRANCH}/below")
    assert forge.create_branch(BRANCH, name)


def test_what_a_killed_process_left_is_no_obstacle(clone: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    name = forge.write_commit(replace(NEW, base=repository.state().base_commit))
    place = clone / ".git/refs/heads" / BRANCH
    place.parent.mkdir()
    Path(f"{place}.lock").write_text("")
    assert forge.create_branch(BRANCH, name)
    assert not Path(f"{place}.lock").exists()


def test_a_damaged_branch_is_not_taken_for_one_that_exists(clone: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    place = clone / ".git/refs/heads" / BRANCH
    place.parent.mkdir()
    place.write_text("")
    assert forge.find_branch(BRANCH) is None
    with pytest.raises(RepositoryUnusable, match="is damaged; remove"):
        publish(repository, forge)


def test_a_symbolic_branch_is_not_followed_when_a_branch_is_created(clone: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    git(clone, "symbolic-ref", f"refs/heads/{BRANCH}", "refs/heads/absent")
    assert not forge.create_branch(BRANCH, repository.state().base_commit)
    assert git(clone, "branch", "--list", "absent") == ""


def test_a_file_in_the_place_of_a_folder_is_reported(clone: Path, opened: Open) -> None:
    repository, forge = opened(clone)
    base = repository.state().base_commit
    name = forge.write_commit(replace(NEW, base=base))
    (clone / ".git/refs/heads/tribal").write_text("")
    with pytest.raises(RepositoryUnreadable, match="cannot access"):
        forge.create_branch(BRANCH, name)
    objects = clone / ".git/objects"
    objects.rename(clone / ".git/moved")
    objects.write_text("")
    with pytest.raises((RepositoryUnreadable, RepositoryUnusable)):
        forge.write_commit(replace(NEW, base=base, message="Other"))
