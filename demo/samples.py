"""`make samples`: the committed documentation of the sample company, and the check that it is up to date."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from demo import COMPANY_SQL
from demo.postgres import EmbeddedServer

SAMPLES = Path(__file__).parent.parent / "docs" / "samples"
EPOCH = "1767225600"
"""2026-01-01: the documents are the same whenever they are made."""


def generate(dsn: str, project: Path) -> None:
    """Run `tribal run` on the sample company in a folder.

    Raises:
        subprocess.CalledProcessError: when the run fails; its output is attached.
    """
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    tribal = Path(sys.executable).parent / "tribal"
    subprocess.run(
        [tribal, "run", dsn, "--project", project], env=environment, check=True, capture_output=True, text=True
    )


def differences(generated: Path, committed: Path = SAMPLES) -> list[str]:
    """Files that are missing, left over or different in the committed documentation, one line each."""
    return sorted(_compare(filecmp.dircmp(generated, committed, ignore=[], hide=[os.curdir, os.pardir]), Path()))


def _compare(pair: filecmp.dircmp[str], folder: Path) -> Iterator[str]:
    yield from (f"missing: {folder / name}" for name in pair.left_only)
    yield from (f"left over: {folder / name}" for name in pair.right_only)
    _, different, unreadable = filecmp.cmpfiles(pair.left, pair.right, pair.common_files, shallow=False)
    yield from (f"different: {folder / name}" for name in (*different, *unreadable))
    for name, below in pair.subdirs.items():
        yield from _compare(below, folder / name)


def main() -> int:
    """Replace the committed documentation by what the program writes now."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        with EmbeddedServer.start(home / "postgres") as server:
            server.ensure_database("company", COMPANY_SQL)
            generate(server.dsn("company"), _made(home / "project"))
        shutil.rmtree(SAMPLES, ignore_errors=True)
        shutil.copytree(home / "project" / "docs", SAMPLES)
    print(f"samples: {sum(path.is_file() for path in SAMPLES.rglob('*'))} files written to {SAMPLES}")
    return 0


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main())
