"""Run a command and measure it."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_KILOBYTES = 1024 if sys.platform == "darwin" else 1


@dataclass(frozen=True, slots=True)
class Measurement:
    """Median and spread of the wall time of several runs, and the peak memory of a run with its workers."""

    name: str
    runs: int
    median_seconds: float
    fastest_seconds: float
    slowest_seconds: float
    peak_memory_mb: float
    median_processor_seconds: float
    """CPU time of the process and its workers on all cores, which depends least on the load of the machine."""
    p95_seconds: float | None = None
    """Set for measurements repeated hundreds of times."""


_LOOK_SECONDS = 0.05


class CommandFailedError(Exception):
    """A measured command exited with a code other than 0."""


def measure(
    name: str,
    command: Sequence[str | Path],
    *,
    runs: int,
    folder: Path,
    before: Callable[[], object] = lambda: None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Measurement:
    """Run a command several times in sequence; `before` prepares each run and is not measured.

    `environment` replaces that of the shell. The command runs in the folder that receives its output, unless `cwd`
    names another.

    Raises:
        CommandFailedError: when one of the runs fails; its output is attached.
    """
    seconds, processor, memory = [], [], 0.0
    variables = dict(os.environ if environment is None else environment)
    # Users run with cached bytecode.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(runs):
        before()
        began = time.perf_counter()
        with (folder / "output.txt").open("w+") as output:
            process = subprocess.Popen(
                [str(word) for word in command], cwd=cwd or folder, env=variables, stdout=output, stderr=output
            )
            with _watching(process.pid) as held:
                _, status, usage = os.wait4(process.pid, 0)
                seconds.append(time.perf_counter() - began)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                output.seek(0)
                raise CommandFailedError(f"{name} ended with {process.returncode}:\n{output.read()}")
        processor.append(usage.ru_utime + usage.ru_stime)
        # Sampling may miss a short peak of the main process, but the kernel does not.
        memory = max(memory, usage.ru_maxrss / 1024 / _KILOBYTES, held[0] / 1024**2)
    return Measurement(
        name, runs, statistics.median(seconds), min(seconds), max(seconds), memory, statistics.median(processor)
    )


def print_measurements(measurements: Sequence[Measurement]) -> None:
    """Print a table with one line per measurement."""
    print(f"{'':<46}{'runs':>5}{'median s':>10}{'p95':>9}{'fastest':>9}{'slowest':>9}{'CPU s':>8}{'peak MB':>9}")
    for m in measurements:
        print(
            f"{m.name:<46}{m.runs:>5}{m.median_seconds:>10.4f}"
            f"{'' if m.p95_seconds is None else format(m.p95_seconds, '.4f'):>9}"
            f"{m.fastest_seconds:>9.4f}{m.slowest_seconds:>9.4f}"
            f"{m.median_processor_seconds:>8.3f}{m.peak_memory_mb:>9.0f}"
        )


@contextmanager
def _watching(pid: int) -> Iterator[list[int]]:
    """Yield the peak memory in bytes of a process and its workers together; shared pages count for each."""
    most, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_SECONDS):
            with suppress(psutil.Error):
                process = psutil.Process(pid)
                tree = [process, *process.children(recursive=True)]
                most[0] = max(most[0], sum(member.memory_info().rss for member in tree))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        ended.set()
        watcher.join()
