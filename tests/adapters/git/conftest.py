"""Clones of a small repository, for a user without settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.adapters.git.clones import Open, git
from tribal.adapters.git.local_clone import LocalCloneRepository, LocalForge


@pytest.fixture(name="opened")
def opened_fixture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Open]:
    """Opens a clone twice, for a user without settings."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    with ExitStack() as closing:

        def opened(path: Path, base: str | None = None) -> tuple[LocalCloneRepository, LocalForge]:
            repository, forge = LocalCloneRepository(path, base), LocalForge(path, base)
            closing.callback(repository.close)
            closing.callback(forge.close)
            return repository, forge

        yield opened


@pytest.fixture(name="origin")
def origin_fixture(tmp_path: Path) -> Path:
    """Two commits on main."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "config", "uploadpack.allowFilter", "true")
    for number in range(2):
        (origin / "a.sql").write_text(f"SELECT {number};\n")
        (origin / "run.sh").write_text("#!/bin/sh\n")
        (origin / "run.sh").chmod(0o755)
        git(origin, "add", ".")
        git(origin, "commit", "--quiet", f"--message={number}")
    return origin


@pytest.fixture(name="clone")
def clone_fixture(tmp_path: Path, origin: Path) -> Path:
    git(tmp_path, "clone", "--quiet", str(origin), "clone")
    return tmp_path / "clone"
