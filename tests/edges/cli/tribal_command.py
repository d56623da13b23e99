"""The command `tribal`, in this process or as a user starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.edges.cli.in_process import run_in_process

TRIBAL = Path(sys.executable).parent / "tribal"
_FOREIGN = ("PG", "TRIBAL", "SOURCE_DATE_EPOCH", "DATABASE_URL")


def clean_environment(**extra: str) -> dict[str, str]:
    """The environment without what would change the outcome."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return {**kept, "COLUMNS": "120", **extra}


def tribal(*arguments: object, cwd: Path, piped: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in this process, with `piped` as standard input."""
    whole = [str(TRIBAL), *map(str, arguments)]
    return run_in_process(whole, cwd=cwd, environment=clean_environment(**environment), piped=piped)


def tribal_process(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in a process of its own."""
    return subprocess.run(
        [TRIBAL, *map(str, arguments)],
        cwd=cwd,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def start_tribal(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start the command and leave it running."""
    return subprocess.Popen(
        [TRIBAL, *map(str, arguments)],
        cwd=cwd,
        env=clean_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def contents(folder: Path, *but: str) -> dict[str, bytes]:
    """Every file below a folder by its relative path, but for those that start with one of `but`."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in sorted(named.items()) if not name.startswith(but)}


Json = dict[str, Any]
