"""How many work units run at once: as many as the options say, and more where a model has too few tables."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.fakes import options
from tests.runs.workers.test_processes import outline
from tribal.errors import RunInterrupted
from tribal.ports import Options, StopToken
from tribal.runs.workers.admission import UnitAdmission
from tribal_contracts import DatabaseEntry, ModelSettings

MODEL = ModelSettings(provider="bedrock", name="a-model", calls_at_once=10)


@dataclass
class Busy:
    """Documents units until it is released, and counts how many have started."""

    expected: int
    started: int = 0
    enough: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def __call__(self, _unit_id: str, /, *, postpone: bool = True) -> Any:
        assert postpone
        with self._lock:
            self.started += 1
            if self.started == self.expected:
                self.enough.set()
        self.go_on.wait()


def started(opts: Options, tables_a_unit: int, expected: int) -> int:
    """The units out of forty that begin before any ends; a stop ends the waiting of all others, and they say so."""
    busy, stop, plan = Busy(expected), StopToken(), outline(units=40, tables=tables_a_unit)
    admission = UnitAdmission(busy, opts, plan, stop)
    with ThreadPoolExecutor(len(plan.units)) as threads:
        asked = [threads.submit(admission.document, unit.id) for unit in plan.units]
        assert busy.enough.wait(30)
        stop.request(RunInterrupted("seen enough"))
        interrupted = set[Future[Any]]()
        for each in as_completed(asked):
            assert isinstance(each.exception(), RunInterrupted)
            interrupted.add(each)
            if len(interrupted) == len(asked) - expected:
                break
        busy.go_on.set()
    assert all(each.exception() is None for each in asked if each not in interrupted)
    return busy.started


@pytest.fixture
def opts() -> Options:
    return options(DatabaseEntry(name="shop"))


def test_without_a_model_as_many_units_as_the_options_say_are_in_progress(opts: Options) -> None:
    assert started(opts, tables_a_unit=1, expected=4) == 4


@pytest.mark.parametrize(("tables_a_unit", "units"), [(25, 4), (5, 4), (3, 7), (1, 20)])
def test_a_model_gets_units_until_there_are_two_tables_for_each_call_at_once(
    tables_a_unit: int, units: int, opts: Options
) -> None:
    assert started(replace(opts, model=MODEL), tables_a_unit, expected=units) == units
