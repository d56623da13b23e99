"""A checkout lists and compares files as git does, and runs nothing that its settings name."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.adapters.git.checkout import GitCheckout
from tribal.errors import ConfigurationError

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull),
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ann"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ann@example.org"),
}
HOOKS = (
    "post-index-change",
    "pre-commit",
    "post-checkout",
    "fsmonitor-watchman",
    "query-watchman",
    "reference-transaction",
)
COMMANDS = (
    "filter.planted.clean",
    "filter.planted.smudge",
    "filter.planted.process",
    "diff.planted.textconv",
    "diff.planted.command",
    "diff.external",
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "credential.helper",
    "alias.ls-files",
    "alias.diff",
    "alias.rev-parse",
    "remote.origin.uploadpack",
    "gpg.program",
    "merge.planted.driver",
)


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    ran = subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture(name="origin", scope="module")
def origin_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits of two files, and an ignored one."""
    origin = tmp_path_factory.mktemp("origin")
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "config", "uploadpack.allowFilter", "true")
    for number in range(3):
        write(origin, {"a/first.sql": f"{number}", "b/second.sql": "same", ".gitignore": "*.log\n", "b/x.log": "log"})
        git(origin, "add", ".")
        git(origin, "commit", "--quiet", "--message", f"{number}")
    git(origin, "tag", "--annotate", "v1", "--message=v1", "HEAD~1")
    return origin


def changed(folder: Path, since: str | None = None) -> set[str]:
    checkout = GitCheckout.find(folder)
    assert checkout is not None
    with closing(checkout):
        return set(checkout.changed(folder, since))


def files(folder: Path) -> set[str]:
    checkout = GitCheckout.find(folder)
    assert checkout is not None
    with closing(checkout):
        return set(checkout.files(folder))


@each_case(
    "make",
    [
        ("clone", "--quiet", "--depth=2", "file://{origin}", "copy"),
        ("clone", "--quiet", "--filter=blob:none", "file://{origin}", "copy"),
        ("clone", "--quiet", "--separate-git-dir=separate.git", "{origin}", "copy"),
        ("-C", "{origin}", "worktree", "add", "--quiet", "{here}/copy"),
        ("clone", "--quiet", "--config=index.version=4", "{origin}", "copy"),
    ],
)
def test_each_kind_of_checkout_is_compared_with_a_commit(make: tuple[str, ...], origin: Path, tmp_path: Path) -> None:
    git(tmp_path, *(part.format(origin=origin, here=tmp_path) for part in make))
    copy = tmp_path / "copy"
    assert files(copy) == {".gitignore", "a/first.sql", "b/second.sql"}
    assert (changed(copy), changed(copy, "HEAD~1")) == (set(), {"a/first.sql"})
    write(copy, {"b/second.sql": "more", "new.sql": "", "b/y.log": ""})
    git(copy, "add", "--force", "b/y.log")
    assert changed(copy) == {"b/second.sql", "new.sql", "b/y.log"}
    assert changed(copy / "b") == {"b/second.sql", "b/y.log"}


def test_a_submodule_is_one_path_of_its_parent_and_a_checkout_of_its_own(origin: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "submodule", "--quiet", "add", str(origin), "part")
    git(tmp_path, "commit", "--quiet", "--message=part")
    part = tmp_path / "part"
    assert files(tmp_path) == {".gitmodules", "part"}
    assert (changed(tmp_path), changed(part, "HEAD~1")) == (set(), {"a/first.sql"})
    git(part, "checkout", "--quiet", "HEAD~1")
    assert changed(tmp_path) == {"part"}


@each_case(
    "revision",
    ["HEAD~1", "HEAD^", "@~1", "main~1", "v1", "v1^{}", "v1^{commit}", "v1^0", "HEAD^^{commit}", "tags/v1", "HEAD@{1}"],
)
def test_a_commit_is_found_in_each_spelling(revision: str, origin: Path) -> None:
    assert changed(origin, revision) == {"a/first.sql"}
    assert changed(origin, git(origin, "rev-parse", "--short", "HEAD~1") + "^0") == {"a/first.sql"}


@each_case(
    "revision",
    ["nope", "", "--output=x", "HEAD~9", "HEAD^2", "main:a", ":a", "HEAD..main", "\0", "^" * 10_000, "0" * 40],
)
def test_a_commit_that_does_not_exist_is_named(revision: str, origin: Path) -> None:
    with pytest.raises(ConfigurationError, match="git has no commit"):
        changed(origin, revision)


def test_nothing_that_a_checkout_names_is_run(origin: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{origin}", "copy")
    copy, ran = tmp_path / "copy", tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    included = "".join(f"[{name.rpartition('.')[0]}]\n{name.rpartition('.')[2]} = {program}\n" for name in COMMANDS[5:])
    write(copy / ".git", {"more": included, "info/attributes": "* filter=planted diff=planted merge=planted\n"})
    for hook in HOOKS:
        program_of_hook = copy / ".git/hooks" / hook
        program_of_hook.parent.mkdir(exist_ok=True)
        program_of_hook.write_bytes(program.read_bytes())
        program_of_hook.chmod(0o755)
    settings = {name: str(program) for name in COMMANDS} | {"include.path": "more", "core.hooksPath": ".git/hooks"}
    settings |= {"remote.origin.url": f"ext::{program}", "protocol.ext.allow": "always", "core.worktree": "/"}
    lines = "".join(
        f"[{name.rpartition('.')[0]}]\n{name.rpartition('.')[2]} = {value}\n" for name, value in settings.items()
    )
    lines = lines.replace("[filter.planted]", '[filter "planted"]').replace("[diff.planted]", '[diff "planted"]')
    lines = lines.replace("[merge.planted]", '[merge "planted"]').replace("[remote.origin]", '[remote "origin"]')
    with (copy / ".git/config").open("a") as file:
        file.write(lines)
    write(copy, {".gitattributes": "* filter=planted diff=planted\n", "a/first.sql": "touched"})
    assert files(copy) == {".gitattributes", ".gitignore", "a/first.sql", "b/second.sql"}
    assert changed(copy) == {".gitattributes", "a/first.sql"}
    assert changed(copy, "HEAD~2") == {".gitattributes", "a/first.sql"}
    with pytest.raises(ConfigurationError, match="no commit"):
        changed(copy, "HEAD~3")
    assert not ran.exists()
    git(copy, "--work-tree=.", "diff", "--name-only")
    assert ran.exists(), "git itself would run it"
