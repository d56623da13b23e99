"""A run that is killed while it asks a model pays for nothing twice, and its money is accounted for.

Moments are numbers of calls and of writes, drawn by seed, so that they do not depend on how fast the machine is.
"""

from __future__ import annotations

import itertools
import signal
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from tests.fakes.claude import FakeClaude
from tests.forked import exit_code
from tests.runs.model.killed_run import CALLS_AT_ONCE, TABLES, process_of_run
from tests.runs.model.made import LaterClock, ModelRuns, asked_about, over_folder, says, tables_asked
from tribal.adapters.local.folder import FolderStore
from tribal.identity import locations
from tribal.models.budget_file import find_budget
from tribal_contracts import BudgetSpend

MIND = says("Holds what was ordered.", "Tells how good it is.")
WRITES = {"prose/": TABLES, locations.DOCS: TABLES, locations.WORK_UNITS: TABLES, locations.BUDGET_FILE: 3}
"""How many writes there are at the least below each, of which one is chosen."""


@pytest.fixture
def claude_afterwards() -> Iterator[FakeClaude]:
    """Another one, so that what the run after the kill is billed is known exactly."""
    server = FakeClaude(mind=MIND)
    yield server
    server.stop()
    assert server.violations == []


@pytest.fixture
def clock() -> LaterClock:
    """It is about noon, so that no test begins on one day and ends on the next."""
    now = datetime.now(UTC)
    return LaterClock((now.replace(hour=12) - now) / timedelta(days=1))


def kills_at(number: int, process: BaseProcess, started: Event) -> Any:
    """A mind that kills the process that asks it before that answer is sent."""
    calls = itertools.count(1)

    def mind(body: Mapping[str, Any]) -> Mapping[str, Any]:
        if next(calls) == number:
            started.wait()
            process.kill()
        answer: Mapping[str, Any] = MIND(body)
        return answer

    return mind


def killed_at_call(number: int, folder: Path, claude: FakeClaude, clock: LaterClock) -> None:
    """A run that is killed while it waits for its answer of that number."""
    started = Event()
    process = process_of_run(folder, claude.address, clock)
    claude.mind, claude.latency_seconds = kills_at(number, process, started), 0.02
    process.start()
    started.set()
    _end(process, claude)


def killed_in_write(below: str, number: int, folder: Path, claude: FakeClaude, clock: LaterClock) -> None:
    """A run that dies in the middle of its write of that number below a folder."""
    claude.mind = MIND
    process = process_of_run(folder, claude.address, clock, below, number)
    process.start()
    _end(process, claude)


def _end(process: BaseProcess, claude: FakeClaude) -> None:
    assert exit_code(process) == -signal.SIGKILL
    while claude.under_way:
        pass  # what was asked is billed, though nobody waits for the answer any more
    claude.stop()


def spent(store: FolderStore) -> tuple[BudgetSpend, int]:
    """What the record says of the day, and what is reserved besides."""
    found, _ = find_budget(store)
    if found is None:
        return BudgetSpend(), 0
    return found.day_spend, sum(holder.reserved_nanodollars for holder in found.holders.values())


def finished(runs: ModelRuns) -> set[str]:
    """Tables whose prose is kept."""
    return {f"shop.{table.schema_name}.{table.table_name}" for table in runs.tables} & runs.prose().keys()


def check(folder: Path, claude: FakeClaude, afterwards: FakeClaude, clock: LaterClock) -> None:
    """Carry a killed run on, and hold it to what is promised."""
    store = FolderStore(folder)
    runs = over_folder(store, afterwards, clock, TABLES, CALLS_AT_ONCE)
    (before, reserved), kept = spent(store), finished(runs)
    assert runs.run().status == "completed"

    assert {document.description.source for document in runs.documents()} == {"model"}
    assert len(runs.results()) == TABLES
    assert kept.isdisjoint(tables_asked(asked_about(afterwards))), "what was finished is paid for twice"
    assert sorted(tables_asked(asked_about(afterwards))) == sorted(finished(runs) - kept)
    assert len(tables_asked(asked_about(claude))) == len(set(tables_asked(asked_about(claude))))

    day = runs.budget().day_spend
    # What had been written stands; of the rest no one knows, so that all that was reserved counts as unsettled.
    assert day.settled_nanodollars == before.settled_nanodollars + afterwards.nanodollars
    assert day.unsettled_nanodollars == before.unsettled_nanodollars + reserved
    counted = claude.nanodollars + afterwards.nanodollars
    assert day.settled_nanodollars <= counted <= day.nanodollars
    assert day.nanodollars - counted <= day.unsettled_nanodollars
    assert runs.budget().run_spend == BudgetSpend(settled_nanodollars=afterwards.nanodollars)
    assert runs.budget().holders == {}


@pytest.mark.parametrize("seed", range(2))
def test_killed_while_it_waits_for_an_answer_a_run_is_resumed_and_no_finished_table_is_paid_twice(
    seed: int, claude: FakeClaude, claude_afterwards: FakeClaude, clock: LaterClock, tmp_path: Path
) -> None:
    killed_at_call(Random(seed).randint(1, TABLES + 6), tmp_path, claude, clock)
    check(tmp_path, claude, claude_afterwards, clock)


@pytest.mark.parametrize("seed", range(len(WRITES)))
def test_killed_in_the_middle_of_a_write_a_run_is_resumed_and_no_finished_table_is_paid_twice(
    seed: int, claude: FakeClaude, claude_afterwards: FakeClaude, clock: LaterClock, tmp_path: Path
) -> None:
    below = list(WRITES)[seed % len(WRITES)]
    number = Random(seed).randint(1, WRITES[below])
    killed_in_write(below, number, tmp_path, claude, clock)
    check(tmp_path, claude, claude_afterwards, clock)
