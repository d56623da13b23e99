"""Clones with a work tree, and the `git` program in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from dulwich.objects import Commit, ObjectID
from dulwich.repo import Repo

from tests.adapters.git.repositories import Files, commit
from tests.plugins.skips import skip_or_fail
from tribal.adapters.git.local_clone import LocalCloneRepository, LocalForge

MAIN = b"refs/heads/main"
Open = Callable[..., tuple[LocalCloneRepository, LocalForge]]
"""Opens a clone twice; closed at the end of the test."""
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull),
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ann"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ann@example.org"),
}


def clone_with(folder: Path, files: Files) -> Repo:
    """A repository with a work tree, which stays empty, whose branch main has these files."""
    folder.mkdir(parents=True)
    made = Repo.init(str(folder), default_branch=b"main")
    commit(made, files, "First")
    return made


def merge_commit(clone: Repo, name: ObjectID) -> None:
    """Merge a commit into main, with the files of that commit."""
    refs, store = clone.refs, clone.object_store
    tip, merged = store[refs[MAIN]], store[name]  # type: ignore[index]
    assert isinstance(tip, Commit)
    assert isinstance(merged, Commit)
    made = Commit()
    made.tree, made.parents = merged.tree, [tip.id, name]
    made.author = made.committer = b"Ada <ada@example.com>"
    made.author_time = made.commit_time = tip.commit_time + 60
    made.author_timezone = made.commit_timezone = 0
    made.message = b"Merge"
    store.add_object(made)
    refs[MAIN] = made.id  # type: ignore[index]


def git(folder: Path, *arguments: str) -> str:
    """Run git, and return what it prints."""
    if shutil.which("git") is None:
        skip_or_fail("git is not installed")
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    ran = subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    return ran.stdout.strip()
