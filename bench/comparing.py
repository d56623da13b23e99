"""Two versions side by side: what users wait for, in turns, so that a noisy machine is as noisy for both.

`python -m bench.comparing PLACE` compares this checkout with another one at PLACE, which has its own `.venv` (`make
setup` there). It prints the median of five turns of each, elapsed and of the processor, and the ratio of the two.
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


Take = Callable[[Version], tuple[float, float]]
"""Seconds of one turn with a version: elapsed, and of the processor."""


def main(other: Path) -> int:
    """Measure and print a table."""
    versions = (Version("other", other.resolve()), Version("this", Path.cwd()))
    for version in versions:
        compileall.compile_dir(version.place / "layers", quiet=2)
        compileall.compile_dir(version.place / "contracts", quiet=2)
    compileall.compile_dir(sysconfig.get_path("purelib"), quiet=2)
    print(f"{'':<44}{'other':>10}{'this':>10}{'ratio':>8}{'CPU':>12}{'this':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
        folder = Path(scratch)
        with EmbeddedServer.start(folder / "postgres") as server:
            for name, take in takes(server, versions, folder):
                turns: dict[str, list[tuple[float, float]]] = {version.name: [] for version in versions}
                for _ in range(TURNS):
                    for version in versions:
                        turns[version.name].append(take(version))
                line = f"{name:<44}"
                for kind, width in ((0, 10), (1, 12)):
                    before, now = (statistics.median(one[kind] for one in turns[each.name]) for each in versions)
                    line += f"{before:>{width}.4f}{now:>10.4f}{now / before:>8.2f}"
                print(line, flush=True)
    return 0


def takes(server: EmbeddedServer, versions: tuple[Version, ...], folder: Path) -> Iterator[tuple[str, Take]]:
    """What is measured: a name, and a function that takes one turn with a version."""

    def command(*words: str | Path, repeated: int = 5) -> Take:
        return lambda version: _seconds([version.place / ".venv" / "bin" / words[0], *words[1:]], folder, repeated)

    yield "import tribal", command("python", "-c", "import tribal")
    yield "tribal --help", command("tribal", "--help")
    projects: dict[int, Path] = {}
    for tables in SIZES:
        dsn = server.dsn(load_generated(server, tables))
        projects[tables] = folder / f"projects_{tables}"

        def run(version: Version, dsn: str = dsn, projects: Path = projects[tables]) -> tuple[float, float]:
            project = projects / version.name
            shutil.rmtree(project, ignore_errors=True)
            project.mkdir(parents=True)
            return _seconds([version.tribal, "run", dsn, "--project", project], folder)

        yield f"tribal run, {tables:,} tables", run
    for tables, place in projects.items():
        yield f"search_tables, {tables:,} tables, p95", partial(_p95, place)
        yield f"search_tables, {tables:,} tables, long, median", partial(_long, place)
    with bucket() as s3:
        index = PublishedSqliteIndex(S3ObjectStore(s3, "bench", "first"), folder / "disk")
        fill(index, projects[SIZES[0]] / versions[-1].name)
        told = variables(s3, "first") | {"TRIBAL_INDEX": "sqlite"}
        paths = {version.name: _unpacked(version, folder / version.name) for version in versions}

        def first(version: Version) -> tuple[float, float]:
            disk = folder / "lambda"
            shutil.rmtree(disk, ignore_errors=True)
            disk.mkdir()
            words: list[str | Path] = [version.python, "-I", "-S", "-c", REQUEST, *paths[version.name]]
            return _seconds(words, folder, environment={**told, "TMPDIR": str(disk)})

        yield "retriever, SQLite in S3, first answer", first


def _seconds(
    words: list[str | Path], folder: Path, repeated: int = 1, environment: dict[str, str] | None = None
) -> tuple[float, float]:
    taken = measure(str(words[0]), words, runs=repeated, folder=folder, environment=environment)
    return taken.median_seconds, taken.median_processor_seconds


def _p95(projects: Path, version: Version) -> tuple[float, float]:
    """Of all questions, and what half of the short ones need of the processor at the most."""
    figures = _asked(projects, version)
    seconds: list[float] = sorted(figures["seconds"] + figures["long_seconds"])
    return seconds[int(len(seconds) * 0.95)], figures["median_processor_seconds"]


def _long(projects: Path, version: Version) -> tuple[float, float]:
    """The median of questions of 300 characters."""
    figures = _asked(projects, version)
    return statistics.median(figures["long_seconds"]), figures["long_median_processor_seconds"]


def _asked(projects: Path, version: Version) -> dict[str, Any]:
    """The same questions to both versions, each of the index that it has made."""
    place = (projects / version.name / "data" / "tribal-knowledge.db").resolve()
    program = (
        f"import sys; sys.path.insert(0, {str(Path.cwd())!r}); from bench.searching import main; main({str(place)!r})"
    )
    asked = subprocess.run(
        [version.python, "-c", program], cwd=version.place, capture_output=True, text=True, check=True
    )
    figures: dict[str, Any] = json.loads(asked.stdout)
    return figures


def _unpacked(version: Version, folder: Path) -> list[str]:
    folder.mkdir()
    made = subprocess.run(
        [version.python, "-c", _UNPACK, str(folder)], cwd=version.place, capture_output=True, text=True, check=True
    )
    return [line for line in made.stdout.splitlines() if line.startswith(str(folder))]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
