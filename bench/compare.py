"""Is this checkout slower than another one? Both are measured in turns, so that a noisy machine is as noisy for both.

`python -m bench.compare OTHER [TABLES...]`; OTHER is a checkout with its own `.venv` (`make setup` there), TABLES are
1,000 and 5,000 by default. Prints the median of five turns of each, elapsed and of CPU time, and the ratio of the two.
"""

from __future__ import annotations

import compileall
import shutil
import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.first_request import bucket, first_answer, publish, variables
from bench.generated import load_generated
from bench.harness import Bench, BenchmarkFailed, Command, Measurement, Row, Table, measure, percentile, run
from bench.search import ask

TURNS = 5
SIZES = (1_000, 5_000)
_UNPACK = """
import sys
from pathlib import Path
from bench.first_request import unpacked
print(*unpacked(Path(sys.argv[1])), sep="\\n")
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout with its environment."""

    name: str
    folder: Path

    def program(self, name: str) -> Path:
        """A program of its environment."""
        return self.folder / ".venv" / "bin" / name


Turn = Callable[[Checkout], tuple[float, float]]
"""Seconds of one turn with a checkout: elapsed, and of CPU time."""


def tables(bench: Bench) -> Iterator[Table]:
    """Measure everything; a table for each measurement, so that nothing is lost when it is interrupted."""
    if not bench.arguments:
        raise BenchmarkFailed("name the other checkout: python -m bench.compare FOLDER [TABLES...]")
    checkouts = Checkout("other", Path(bench.arguments[0]).resolve()), Checkout("this", Path.cwd())
    for folder in (*(each.folder / part for each in checkouts for part in ("layers", "contracts")), _site_packages()):
        compileall.compile_dir(folder, quiet=2)
    for name, turn in _turns(bench, checkouts):
        turns = [[turn(checkout) for checkout in checkouts] for _ in range(TURNS)]
        yield Table(name, [_row(label, turns, kind) for kind, label in enumerate(("elapsed", "CPU"))])


def _site_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _row(label: str, turns: list[list[tuple[float, float]]], kind: int) -> Row:
    other, this = (statistics.median(turn[place][kind] for turn in turns) for place in (0, 1))
    return {"seconds": label, "other": other, "this": this, "ratio": this / other}


def _turns(bench: Bench, checkouts: tuple[Checkout, ...]) -> Iterator[tuple[str, Turn]]:
    """What is measured: a name, and a function that takes one turn with a checkout."""

    def command(program: str, *words: str) -> Turn:
        return lambda checkout: _took(measure([checkout.program(program), *words], folder=bench.folder, runs=5))

    yield "import tribal", command("python", "-c", "import tribal")
    yield "tribal --version", command("tribal", "--version")
    yield "tribal --help", command("tribal", "--help")
    sizes = list(map(int, bench.arguments[1:])) or list(SIZES)
    for size in sizes:
        dsn = bench.server.dsn(load_generated(bench.server, size))

        def run_all(checkout: Checkout, size: int = size, dsn: str = dsn) -> tuple[float, float]:
            project = _project(bench, checkout, size)
            shutil.rmtree(project, ignore_errors=True)
            project.mkdir()
            return _took(measure([checkout.program("tribal"), "run", dsn, "--project", project], folder=bench.folder))

        def from_shell(checkout: Checkout, size: int = size) -> tuple[float, float]:
            project, tribal = _project(bench, checkout, size), checkout.program("tribal")
            words: Command = [tribal, "search", "unpaid invoices by customer", "--project", project]
            return _took(measure(words, folder=bench.folder, runs=5))

        def p95(checkout: Checkout, size: int = size) -> tuple[float, float]:
            measured = ask(_project(bench, checkout, size), None, checkout.program("python"), checkout.folder)
            return percentile(measured["seconds"] + measured["long_seconds"], 0.95), measured["cpu_seconds"]

        yield f"tribal run, {size:,} tables", run_all
        yield f"tribal search, {size:,} tables", from_shell
        yield f"search_tables, {size:,} tables, p95 elapsed and median CPU", p95
    with bucket() as s3:
        publish(s3, _project(bench, checkouts[-1], sizes[0]), bench.folder / "disk")
        environment = variables(s3) | {"TRIBAL_INDEX": "sqlite"}
        paths = {checkout.name: _unpacked(checkout, bench.new_folder(checkout.name)) for checkout in checkouts}
        yield (
            "first answer of the retriever, SQLite in S3",
            lambda checkout: _took(
                first_answer(checkout.program("python"), paths[checkout.name], environment, bench.folder)
            ),
        )


def _took(measured: Measurement) -> tuple[float, float]:
    return measured.seconds, measured.cpu_seconds


def _project(bench: Bench, checkout: Checkout, size: int) -> Path:
    return bench.folder / f"project-{checkout.name}-{size}"


def _unpacked(checkout: Checkout, folder: Path) -> list[str]:
    """The import path of the other checkout's function, by its own packaging."""
    program = [str(checkout.program("python")), "-c", _UNPACK, str(folder)]
    made = subprocess.run(program, cwd=checkout.folder, capture_output=True, text=True, check=True)
    return [line for line in made.stdout.splitlines() if line.startswith(str(folder))]


if __name__ == "__main__":
    sys.exit(run("compare", tables))
