"""Run a command and measure it."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_KILOBYTES = 1024 if sys.platform == "darwin" else 1


@dataclass(frozen=True, slots=True)
class Measurement:
    """Median and spread of the wall time of several runs, and the largest memory that one of them held."""

    name: str
    runs: int
    median_seconds: float
    fastest_seconds: float
    slowest_seconds: float
    peak_memory_mb: float
    median_processor_seconds: float
    """Processor time of the process itself, on all cores: what a busy machine changes least."""


class CommandFailedError(Exception):
    """A measured command ended with another exit code than 0."""


def measure(
    name: str,
    command: Sequence[str | Path],
    *,
    runs: int,
    folder: Path,
    before: Callable[[], object] = lambda: None,
) -> Measurement:
    """Run a command several times, one after the other; `before` prepares each run and is not measured.

    Raises:
        CommandFailedError: when one of the runs fails; what it printed is attached.
    """
    seconds, processor, memory = [], [], 0.0
    # Users have bytecode.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(runs):
        before()
        began = time.perf_counter()
        with (folder / "output.txt").open("w+") as output:
            process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, env=environment, stdout=output, stderr=output
            )
            _, status, usage = os.wait4(process.pid, 0)
            seconds.append(time.perf_counter() - began)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                output.seek(0)
                raise CommandFailedError(f"{name} ended with {process.returncode}:\n{output.read()}")
        processor.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss / 1024 / _KILOBYTES)
    return Measurement(
        name, runs, statistics.median(seconds), min(seconds), max(seconds), memory, statistics.median(processor)
    )
