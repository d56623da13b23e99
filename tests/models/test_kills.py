"""A process that is killed in the middle of its calls leaves no call unbooked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from tests import ROOT
from tests.models.building import PRICE, meet, record, settings, spender
from tests.models.killed_process import CALLS, ShiftedClock
from tribal.adapters.local.folder import FolderStore
from tribal.models import Budget, Caps, Timing, read_spending
from tribal_contracts import NANODOLLARS

pytestmark = pytest.mark.slow

KILLS = 5


def _asking(
    folder: Path, accounts: Sequence[str], seed: int, shift_seconds: float, calls_a_day: int, term_seconds: float = 60.0
) -> subprocess.Popen[str]:
    arguments = [str(folder), ",".join(accounts), str(seed), str(shift_seconds), str(calls_a_day), str(term_seconds)]
    command = [sys.executable, "-m", "tests.models.killed_process", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ))


def _killed(folder: Path, number: int, shift_seconds: float, after_calls: int) -> int:
    """Run a process, kill it in the middle of that call, and tell what the provider counted, in nanodollars."""
    counted = []
    with _asking(folder, [f"run:r{number}"], number, shift_seconds, CALLS) as process:
        assert process.stdout is not None
        for line in process.stdout:
            counted.append(int(line))
            if len(counted) == after_calls:
                process.kill()
    assert len(counted) >= after_calls
    return sum(counted)


def test_after_several_kills_the_next_run_has_booked_what_the_provider_counted_and_says_how_much_it_does_not_know(
    tmp_path: Path,
) -> None:
    now = datetime.now(UTC)
    shift = (now.replace(hour=12) - now).total_seconds()
    chance, store, clock, counted = Random(15), FolderStore(tmp_path), ShiftedClock(shift), 0
    for number in range(KILLS):
        counted += _killed(tmp_path, number, shift, chance.choice([1, 3, 20, 60]) + chance.randrange(9))
    last, caps = spender("run:last", "here/last"), Caps.of(settings(CALLS, CALLS))
    with Budget(store, caps, last, Timing(clock), beat_seconds=None) as budget:
        meet(budget)
    day = record(store).day_spend
    assert counted <= day.nanodollars
    assert day.nanodollars - counted <= day.unsettled_nanodollars
    assert day.unsettled_nanodollars <= KILLS * 2 * 8 * PRICE + counted, "no more than the blocks that were open"
    assert read_spending(store, clock).unsettled_usd == day.unsettled_nanodollars / NANODOLLARS
    assert record(store).run_spend.nanodollars == 0


CALLERS = [
    ["session:1", "session:2"],
    ["chat:1", "chat:2"],
    ["upload:1", "upload:2"],
    ["cycle:1", "cycle:2"],
    ["run:r1"],
]
"""Of each process next to the others."""
_CALLS_A_DAY = 200


def test_callers_of_four_kinds_next_to_a_run_are_killed_and_none_is_refused_because_of_another(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    shift = (now.replace(hour=12) - now).total_seconds()
    chance, counted, refused = Random(50), 0, Counter[str]()

    def ask_and_kill(number: int) -> tuple[int, list[str]]:
        """A process for these callers that is killed at random, and then another one."""
        lines: list[str] = []
        for seed, calls in enumerate([chance.randrange(5, 20), None]):
            with _asking(tmp_path, CALLERS[number], 10 * number + seed, shift, _CALLS_A_DAY, 6.0) as process:
                assert process.stdout is not None
                for count, line in enumerate(process.stdout, start=1):
                    lines.append(line.strip())
                    if count == calls:
                        process.kill()
        return sum(int(line) for line in lines if line.isdecimal()), [line for line in lines if line.startswith("!")]

    with ThreadPoolExecutor(len(CALLERS)) as threads:
        for spent, refusals in threads.map(ask_and_kill, range(len(CALLERS))):
            counted += spent
            refused.update(refusals)
    day = record(FolderStore(tmp_path)).day_spend
    assert set(refused) == {"!exhausted"}
    assert counted <= day.nanodollars <= (_CALLS_A_DAY + 1) * PRICE
