"""Compiles packages: functions run on a read-only file system and would otherwise compile at every cold start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def interpreter_for(python: str) -> str | None:
    """A Python of the runtime's version, whose bytecode the runtime can read; the running one if it fits."""
    if python == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    found = shutil.which(f"python{python}")
    if found is None:
        return None
    # A program of that name may be a shim for a Python that is not installed.
    said = subprocess.run(
        [found, "-I", "-c", "import sys; print(sys.version)"], capture_output=True, text=True, check=False
    )
    return found if said.returncode == 0 and said.stdout.startswith(f"{python}.") else None


def compile_folder(folder: Path, interpreter: str, shown_as: str) -> None:
    """Compile every module, reproducibly; tracebacks show paths below `shown_as`."""
    # Deployed files never change, so the bytecode need not be checked against its source.
    how = ["--invalidation-mode", "unchecked-hash", "-q", "-q", "-s", str(folder), "-p", shown_as]
    # Modules for other versions of Python do not compile, and are never imported.
    subprocess.run([interpreter, "-I", "-m", "compileall", *how, str(folder)], capture_output=True, check=False)
