"""Compiles packages: functions run on a read-only file system and would otherwise compile at every cold start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_WHICH = (
    "import sys; v = sys.version_info; print(sys.implementation.name, v.major, v.minor, v.releaselevel, sys.abiflags)"
)


def interpreter_for(python: str) -> str | None:
    """A Python of the runtime's version, whose bytecode the runtime can read: the running one if it fits, one on the
    path, or one of pyenv's."""
    if python == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    return next((program for program in _programs(python) if _is_of_version(program, python)), None)


def _programs(python: str) -> Iterator[str]:
    if found := shutil.which(f"python{python}"):
        yield found
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from map(str, sorted(versions.glob(f"{python}.*/bin/python{python}")))


def _is_of_version(program: str, python: str) -> bool:
    """Whether it runs and is a final CPython of that version; a program of that name may be a shim for none."""
    said = subprocess.run([program, "-I", "-c", _WHICH], capture_output=True, text=True, check=False)
    # A build without the global lock has the flag `t`, and loads no ordinary extension.
    return said.returncode == 0 and said.stdout.split() == ["cpython", *python.split("."), "final"]


def compile_folder(folder: Path, interpreter: str, shown_as: str) -> None:
    """Compile every module, reproducibly; tracebacks show paths below `shown_as`."""
    # Deployed files never change, so the bytecode need not be checked against its source.
    how = ["--invalidation-mode", "unchecked-hash", "-q", "-q", "-s", str(folder), "-p", shown_as]
    # Modules for other versions of Python do not compile, and are never imported.
    subprocess.run([interpreter, "-I", "-m", "compileall", *how, str(folder)], capture_output=True, check=False)
