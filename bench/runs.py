"""How long does a run over a generated database take, and how much memory?

`python -m bench.runs [TABLES...]`, by default 100, 1,000 and 5,000 tables. Each stage starts from what the stage before
it left. Medians of three runs; more than 1,000 tables are run once.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator

from bench.generated import load_generated
from bench.harness import TRIBAL, Bench, Command, Row, Table, measure, run

SIZES = (100, 1_000, 5_000)
_REPEATED_UP_TO = 1_000


def tables(bench: Bench) -> Iterator[Table]:
    """Measure each size."""
    for size in map(int, bench.arguments or SIZES):
        yield Table(f"runs of {size:,} tables", list(_stages(bench, size)))


def _stages(bench: Bench, size: int) -> Iterator[Row]:
    dsn = bench.server.dsn(load_generated(bench.server, size))
    project, state = bench.folder / f"project-{size}", bench.new_folder(f"state-{size}")
    runs = 3 if size <= _REPEATED_UP_TO else 1

    def restore() -> None:
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(state, project)

    def stage(command: str, note: str = "", before: Callable[[], None] = restore) -> Row:
        words: Command = [TRIBAL, command, dsn, "--project", project]
        return measure(words, runs=runs, folder=bench.folder, before=before).row(f"tribal {command}{note}")

    yield stage("run", ", from nothing")
    yield stage("run", ", nothing changed", before=lambda: None)
    for command in ("plan", "document", "index"):
        yield stage(command)
        shutil.rmtree(state)
        shutil.copytree(project, state)
    shutil.rmtree(project)
    shutil.rmtree(state)


if __name__ == "__main__":
    sys.exit(run("runs", tables))
