"""Compares two versions by what users wait for, in interleaved runs, so that noise affects both alike.

`python -m bench.comparing PLACE` compares this checkout with another at PLACE, which needs its own `.venv` (`make
setup` there). It prints the median of five runs of each, and the ratio of the two.
"""

from __future__ import annotations

import compileall
import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.first_request import REQUEST, bucket, fill, variables
from bench.generated import load_generated
from bench.measure import measure
from servers.postgres import EmbeddedServer
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.adapters.sqlite.published import PublishedSqliteIndex

TURNS = 5
SIZES = (1_000, 5_000)
_UNPACK = """
import sys
from pathlib import Path
from bench import first_request
print(*(getattr(first_request, "unpacked", None) or first_request._unpacked)(Path(sys.argv[1])), sep="\\n")
"""


@dataclass(frozen=True, slots=True)
class Version:
    """A checkout with its environment."""

    name: str
    place: Path

    @property
    def python(self) -> Path:
        return self.place / ".venv" / "bin" / "python"

    @property
    def tribal(self) -> Path:
        return self.place / ".venv" / "bin" / "tribal"


Take = Callable[[Version], float]


def main(other: Path) -> int:
    """Measure and print a table."""
    versions = (Version("other", other.resolve()), Version("this", Path.cwd()))
    for version in versions:
        compileall.compile_dir(version.place / "layers", quiet=2)
        compileall.compile_dir(version.place / "contracts", quiet=2)
    compileall.compile_dir(sysconfig.get_path("purelib"), quiet=2)
    print(f"{'':<44}{'other':>10}{'this':>10}{'ratio':>8}   seconds, medians of {TURNS} turns")
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
        folder = Path(scratch)
        with EmbeddedServer.start(folder / "postgres") as server:
            for name, take in takes(server, versions, folder):
                seconds: dict[str, list[float]] = {version.name: [] for version in versions}
                for _ in range(TURNS):
                    for version in versions:
                        seconds[version.name].append(take(version))
                before, now = (statistics.median(seconds[version.name]) for version in versions)
                print(f"{name:<44}{before:>10.4f}{now:>10.4f}{now / before:>8.2f}", flush=True)
    return 0


def takes(server: EmbeddedServer, versions: tuple[Version, ...], folder: Path) -> Iterator[tuple[str, Take]]:
    """The measurements: a name, and a function that runs it once with a version."""

    def command(*words: str | Path, repeated: int = 5) -> Take:
        return lambda version: _seconds([version.place / ".venv" / "bin" / words[0], *words[1:]], folder, repeated)

    yield "import tribal", command("python", "-c", "import tribal")
    yield "tribal --help", command("tribal", "--help")
    projects: dict[int, Path] = {}
    for tables in SIZES:
        dsn = server.dsn(load_generated(server, tables))
        projects[tables] = folder / f"project_{tables}"

        def run(version: Version, dsn: str = dsn, project: Path = projects[tables]) -> float:
            shutil.rmtree(project, ignore_errors=True)
            project.mkdir()
            return _seconds([version.tribal, "run", dsn, "--project", project], folder)

        yield f"tribal run, {tables:,} tables", run
    for tables, project in projects.items():
        yield f"search_tables, {tables:,} tables, p95", partial(_p95, project)
    with bucket() as s3:
        index = PublishedSqliteIndex(S3ObjectStore(s3, "bench", "first"), folder / "disk")
        fill(index, projects[SIZES[0]])
        told = variables(s3, "first") | {"TRIBAL_INDEX": "sqlite"}
        paths = {version.name: _unpacked(version, folder / version.name) for version in versions}

        def first(version: Version) -> float:
            disk = folder / "lambda"
            shutil.rmtree(disk, ignore_errors=True)
            disk.mkdir()
            words: list[str | Path] = [version.python, "-I", "-S", "-c", REQUEST, *paths[version.name]]
            return _seconds(words, folder, environment={**told, "TMPDIR": str(disk)})

        yield "retriever, SQLite in S3, first answer", first


def _seconds(
    words: list[str | Path], folder: Path, repeated: int = 1, environment: dict[str, str] | None = None
) -> float:
    return measure(str(words[0]), words, runs=repeated, folder=folder, environment=environment).median_seconds


def _p95(project: Path, version: Version) -> float:
    place = str((project / "data" / "tribal-knowledge.db").resolve())
    asked = subprocess.run(
        [version.python, "-m", "bench.searching", place], cwd=version.place, capture_output=True, text=True, check=True
    )
    figures: dict[str, Any] = json.loads(asked.stdout)
    seconds = sorted(figures["seconds"])
    found: float = seconds[int(len(seconds) * 0.95)]
    return found


def _unpacked(version: Version, folder: Path) -> list[str]:
    folder.mkdir()
    made = subprocess.run(
        [version.python, "-c", _UNPACK, str(folder)], cwd=version.place, capture_output=True, text=True, check=True
    )
    return [line for line in made.stdout.splitlines() if line.startswith(str(folder))]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
