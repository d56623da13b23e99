"""Bytecode of what is packaged: a function may not write it where it runs, and would compile anew at each start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def interpreter_for(python: str) -> str | None:
    """A Python of that version, whose bytecode the runtime reads; the one at hand where it fits."""
    if python == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    found = shutil.which(f"python{python}")
    if found is None:
        return None
    # What is named so may be a stand-in for a Python that is not installed.
    said = subprocess.run(
        [found, "-I", "-c", "import sys; print(sys.version)"], capture_output=True, text=True, check=False
    )
    return found if said.returncode == 0 and said.stdout.startswith(f"{python}.") else None


def compile_folder(folder: Path, interpreter: str, shown_as: str) -> None:
    """Put bytecode beside every module, the same bytes each time; tracebacks name modules below `shown_as`."""
    # The files are never changed where they run, so nobody needs to compare them with their source.
    how = ["--invalidation-mode", "unchecked-hash", "-q", "-q", "-s", str(folder), "-p", shown_as]
    # What is not meant for this Python does not compile, and would not be imported either.
    subprocess.run([interpreter, "-I", "-m", "compileall", *how, str(folder)], capture_output=True, check=False)
