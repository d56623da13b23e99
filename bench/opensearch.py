"""Measures an index in OpenSearch: building it, querying it, and querying it during a rebuild.

`python -m bench.opensearch` generates a database of 5,000 tables and measures SQLite and OpenSearch side by side. The
cluster is that of `OPENSEARCH_URL`, or else a node on this machine, which `make opensearch` installs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.generated import load_generated
from bench.measure import CommandFailedError, Measurement, measure, print_measurements
from bench.searching import asked
from servers.java_packages import PackagesUnavailable, are_provided
from servers.opensearch import CACHE, VARIABLE, NodeError, OpenSearchNode
from servers.postgres import EmbeddedServer, EmbeddedServerError

RESULTS = Path(".bench") / "opensearch.json"
TABLES = 5_000
_STEPS = [sys.executable, "-m", "bench.opensearch_steps"]


@dataclass(frozen=True, slots=True)
class Rebuild:
    """What a reader asking without a pause saw during a rebuild of the whole index."""

    tables: int
    seconds: float
    questions: int
    failed: int
    empty: int
    median_milliseconds: float
    slow_milliseconds: float
    """95th percentile of the time per question."""


def main() -> int:
    """Run this benchmark alone, print the table and write the file; returns the exit code."""
    tribal = Path(sys.executable).parent / "tribal"
    try:
        with TemporaryDirectory(prefix="tribal-bench-") as scratch, cluster(install=True) as address:
            folder, project = Path(scratch), Path(scratch) / "project"
            project.mkdir()
            with EmbeddedServer.start(folder / "generated") as server:
                dsn = server.dsn(load_generated(server, TABLES))
                command: list[str | Path] = [tribal, "run", dsn, "--project", project]
                measurements = [measure(f"tribal run, {TABLES:,} tables, from nothing", command, runs=1, folder=folder)]
            measurements += asked(str(project / "data" / "tribal-knowledge.db"), f"search_tables, {TABLES:,} tables")
            opensearch = OverOpenSearch(address, folder)
            measurements += opensearch(project, TABLES)
    except (CommandFailedError, EmbeddedServerError, PackagesUnavailable, NodeError) as error:
        print(f"bench.opensearch: FAILED: {error}", file=sys.stderr)
        return 1
    print_measurements(measurements)
    for rebuild in opensearch.rebuilds:
        print_rebuild(rebuild)
    RESULTS.parent.mkdir(exist_ok=True)
    results = {
        "results": [asdict(one) for one in measurements],
        "rebuilds": [asdict(one) for one in opensearch.rebuilds],
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"bench.opensearch: written to {RESULTS}")
    return 0


@contextmanager
def cluster(*, install: bool = False) -> Iterator[str | None]:
    """Yield the address of a cluster; `None` if none is configured and no node is installed, unless `install` is true.

    Raises:
        PackagesUnavailable: when the node cannot be installed.
        NodeError: when the node does not start.
    """
    if address := os.environ.get(VARIABLE):
        yield address
    elif install or are_provided(CACHE):
        node = OpenSearchNode.start()
        try:
            yield node.address
        finally:
            node.stop()
    else:
        yield None


@dataclass(frozen=True, slots=True)
class OverOpenSearch:
    """Measures documented projects in a cluster; without one, it measures nothing."""

    address: str | None
    folder: Path
    """Receives the output of commands."""
    rebuilds: list[Rebuild] = field(default_factory=list)
    """The result of the rebuild of each project."""

    def __call__(self, project: Path, tables: int) -> list[Measurement]:
        """Measure building and querying a project's index, and rebuild it while a reader asks.

        Raises:
            CommandFailedError: when building fails, or a question is not answered.
        """
        if self.address is None:
            return []
        name = f"OpenSearch, {tables:,} tables"
        command: list[str | Path] = [*_STEPS, "build", project.resolve(), self.address]
        built = self._timed(f"index into {name}", command)
        # The node's JIT compiles during its first hundreds of questions.
        searching = asked(self.address, f"search_tables in {name}, a node just started")
        searching += asked(self.address, f"search_tables in {name}")
        with subprocess.Popen(
            [*_STEPS, "watch", self.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as reader:
            assert reader.stdout is not None
            # The reader has received its first answer.
            reader.stdout.readline()
            rebuilt = self._timed(f"index into {name}, again", command)
            said, _ = reader.communicate()
        if reader.returncode:
            raise CommandFailedError(f"the reader of {name} ended with {reader.returncode}")
        self.rebuilds.append(_rebuild(tables, rebuilt.median_seconds, json.loads(said)))
        return [built, *searching]

    def _timed(self, name: str, command: list[str | Path]) -> Measurement:
        # The measured program is a module of this repository, not of an installed package.
        return measure(name, command, runs=1, folder=self.folder, cwd=Path.cwd())


def _rebuild(tables: int, seconds: float, seen: Mapping[str, Any]) -> Rebuild:
    milliseconds = sorted(1_000 * one for one in seen["seconds"])
    return Rebuild(
        tables=tables,
        seconds=seconds,
        questions=len(milliseconds),
        failed=seen["failed"],
        empty=seen["empty"],
        median_milliseconds=statistics.median(milliseconds),
        slow_milliseconds=milliseconds[int(0.95 * len(milliseconds))],
    )


def print_rebuild(rebuild: Rebuild) -> None:
    """Print what the reader saw."""
    print(
        f"OpenSearch: {rebuild.tables:,} tables were built anew in {rebuild.seconds:.0f} s beside "
        f"{rebuild.questions:,} questions (median {rebuild.median_milliseconds:.0f} ms, 95th percentile "
        f"{rebuild.slow_milliseconds:.0f} ms): {rebuild.failed} failed, {rebuild.empty} had an empty answer"
    )


if __name__ == "__main__":
    sys.exit(main())
