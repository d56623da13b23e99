"""What every benchmark shares: servers and folders to work with, measured commands, tables of results.

A benchmark is a module with a function that takes a `Bench` and yields `Table`s. `run` prints each table and writes
all of them to `.bench/NAME.json`.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import psutil

from servers.java_packages import PackagesUnavailable
from servers.opensearch import VARIABLE, NodeError, OpenSearchNode
from tribal_demo.server.postgres import EmbeddedServer, EmbeddedServerError

RESULTS = Path(".bench")
DATA_VARIABLE = "TRIBAL_BENCH_DATA"
MODEL_VARIABLE = "TRIBAL_BENCH_ONNX"
TRIBAL = Path(sys.executable).parent / "tribal"
_SAMPLE_SECONDS = 0.02
_KILOBYTES = 1024 if sys.platform == "darwin" else 1

Value = str | int | float | None
Row = Mapping[str, Value]
Command = Sequence[str | Path]


class BenchmarkFailed(Exception):
    """A measured command failed, or something that the benchmark needs is missing."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the same columns, and remarks below them."""

    title: str
    rows: Sequence[Row]
    remarks: Sequence[str] = ()


@dataclass
class Bench:
    """What a benchmark works with. Servers start when they are first used and stop at the end."""

    folder: Path
    """A scratch folder, deleted at the end."""
    stack: ExitStack
    arguments: Sequence[str] = ()
    """The words after the name of the module."""

    @cached_property
    def server(self) -> EmbeddedServer:
        """A PostgreSQL server, empty at first."""
        return self.stack.enter_context(EmbeddedServer.start(self.folder / "postgres"))

    @cached_property
    def cluster(self) -> str:
        """The address of the OpenSearch cluster of `OPENSEARCH_URL`, or else of a node on this machine.

        Raises:
            PackagesUnavailable: the node cannot be installed.
            NodeError: the node does not start.
        """
        if address := os.environ.get(VARIABLE):
            return address
        node = OpenSearchNode.start()
        self.stack.callback(node.stop)
        return node.address

    @property
    def data(self) -> Path:
        """The folder of public schemas and questions.

        Raises:
            BenchmarkFailed: no folder is named.
        """
        if folder := os.environ.get(DATA_VARIABLE):
            return Path(folder)
        raise BenchmarkFailed(f"set {DATA_VARIABLE} to a folder of public schemas and questions")

    @property
    def embedder(self) -> str | Mapping[str, str]:
        """The section `embedder` of projects: the model in the folder of `TRIBAL_BENCH_ONNX`, or the default."""
        folder = os.environ.get(MODEL_VARIABLE)
        return {"onnx": str(Path(folder).resolve())} if folder else "wordllama"

    def new_folder(self, name: str) -> Path:
        """An empty folder, for instance for a project."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder


@dataclass(frozen=True, slots=True)
class Measurement:
    """One or several runs of a command: medians, and the peak memory of a run with its child processes."""

    seconds: float
    cpu_seconds: float
    """Of the process and its children on all cores; depends least on the load of the machine."""
    peak_mb: float
    runs: int
    output: str = ""
    """What the last run printed."""

    def row(self, name: str) -> Row:
        """The measurement as a row of a table."""
        return {
            "command": name,
            "runs": self.runs,
            "seconds": self.seconds,
            "CPU seconds": self.cpu_seconds,
            "peak MB": self.peak_mb,
        }


def measure(
    command: Command,
    *,
    folder: Path,
    runs: int = 1,
    before: Callable[[], object] = lambda: None,
    environment: Mapping[str, str] | None = None,
) -> Measurement:
    """Run a command in a folder several times in sequence; `before` prepares each run and is not measured.

    `environment` replaces that of the shell.

    Raises:
        BenchmarkFailed: when one of the runs fails; its output is attached.
    """
    seconds, cpu, peak, text = [], [], 0.0, ""
    variables = dict(os.environ if environment is None else environment)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # Users run with cached bytecode.
    for _ in range(runs):
        before()
        with tempfile.TemporaryFile("w+") as output:
            start = time.perf_counter()
            process = subprocess.Popen(list(map(str, command)), cwd=folder, env=variables, stdout=output, stderr=output)
            with _watched_memory(process.pid) as peaks:
                _, status, usage = os.wait4(process.pid, 0)
                seconds.append(time.perf_counter() - start)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            text = output.read()
        if process.returncode:
            raise BenchmarkFailed(f"{' '.join(map(str, command[:3]))} ended with {process.returncode}:\n{text}")
        cpu.append(usage.ru_utime + usage.ru_stime)
        # Sampling may miss a short peak, the kernel does not; but it begins with the peak of the process that forked.
        if usage.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            peaks.append(usage.ru_maxrss / 1024 / _KILOBYTES)
        peak = max(peak, *peaks)
    return Measurement(statistics.median(seconds), statistics.median(cpu), peak, runs, text)


@contextmanager
def _watched_memory(pid: int) -> Iterator[list[float]]:
    """Yield a list of one number, the peak MB of a process and its children together; shared pages count for each."""
    peaks, ended = [0.0], threading.Event()

    def watch() -> None:
        while not ended.wait(_SAMPLE_SECONDS):
            with suppress(psutil.Error):
                peaks[0] = max(peaks[0], memory_mb(pid))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        ended.set()
        watcher.join()


def memory_mb(pid: int) -> float:
    """Resident memory of a process and its children."""
    process = psutil.Process(pid)
    held: int = sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))
    return held / 1024**2


def percentile(values: Iterable[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


Tables = Callable[[Bench], Iterable[Table]]


def run(name: str, tables: Tables) -> int:
    """Run one benchmark with the arguments of the command line; returns the exit code."""
    with open_bench(sys.argv[1:]) as bench:
        return record(name, tables, bench)


@contextmanager
def open_bench(arguments: Sequence[str] = ()) -> Iterator[Bench]:
    """Yield a `Bench` with a scratch folder; its servers stop and its files go afterwards."""
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch, ExitStack() as stack:
        yield Bench(Path(scratch), stack, arguments)


def record(name: str, tables: Tables, bench: Bench) -> int:
    """Print the tables of a benchmark and write them to `.bench/NAME.json`; returns the exit code."""
    file, written = RESULTS / f"{name}.json", dict[str, Sequence[Row]]()
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
    RESULTS.mkdir(exist_ok=True)
    try:
        for table in tables(bench):
            print_table(table)
            written[table.title] = table.rows
            # After each table, so that a killed benchmark leaves what it measured.
            file.write_text(json.dumps({"machine": machine, "tables": written}, indent=2) + "\n")
    except (BenchmarkFailed, EmbeddedServerError, NodeError, PackagesUnavailable) as error:
        print(f"bench.{name}: FAILED: {error}", file=sys.stderr)
        return 1
    print(f"bench.{name}: written to {file}")
    return 0


def print_table(table: Table) -> None:
    """Print the title, a line of headings, a line per row, and the remarks."""
    columns = list(dict.fromkeys(name for row in table.rows for name in row))
    cells = [columns, *([_text(row.get(name)) for name in columns] for row in table.rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    print(f"\n{table.title}")
    for line in cells:
        first, *others = (
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())
    for remark in table.remarks:
        print(remark)
    sys.stdout.flush()


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3f}" if abs(value) < 1 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else value


def write_report(name: str, lines: Iterable[str]) -> str:
    """Write lines for a person to read to `.bench/NAME.md`; returns a remark that says so."""
    file = RESULTS / f"{name}.md"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return f"to be read by a person: {file}"
