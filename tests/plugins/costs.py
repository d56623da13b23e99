"""Report which test modules use most CPU time, and how long each of them waits.

CPU time includes child processes once they have ended; what a server does that outlives a module is not counted.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

_SHOWN = 10
_last = (0.0, 0.0)
"""CPU seconds and time at the end of the phase before; each process runs one phase at a time."""


def _now() -> tuple[float, float]:
    return sum(os.times()[:4]), time.monotonic()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Start counting with the first phase of a test."""
    global _last
    _last = _now()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the cost of a phase to its report, which workers send to the controller."""
    global _last
    report = yield
    (cpu_before, before), _last = _last, _now()
    report.costs = (_last[0] - cpu_before, _last[1] - before)  # type: ignore[attr-defined]
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the modules that used most CPU time."""
    cpu, waited = Counter[str](), Counter[str]()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if (costs := getattr(report, "costs", None)) is not None:
                module = report.nodeid.partition("::")[0]
                cpu[module] += costs[0]
                waited[module] += max(0.0, costs[1] - costs[0])
    if len(cpu) > _SHOWN:
        terminalreporter.section(f"{sum(cpu.values()):,.0f} CPU seconds in {len(cpu):,} modules; the most in")
        for module, seconds in cpu.most_common(_SHOWN):
            terminalreporter.write_line(f"{seconds:7.1f} s  and {waited[module]:7.1f} s of waiting  {module}")
