"""A process that is killed in the middle of its calls leaves no call unbooked."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from tests import ROOT
from tests.models.building import PRICE, meet, record, settings, spender
from tests.models.killed_process import CALLS, ShiftedClock
from tribal.adapters.local.folder import FolderStore
from tribal.models import Budget, Caps, Timing, read_spending
from tribal_contracts import NANODOLLARS

KILLS = 10


def _killed(folder: Path, number: int, shift_seconds: float, after_calls: int) -> int:
    """Run a process, kill it in the middle of that call, and tell what the provider counted, in nanodollars."""
    arguments = [str(folder), f"r{number}", str(number), str(shift_seconds)]
    command = [sys.executable, "-m", "tests.models.killed_process", *arguments]
    counted = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            counted.append(int(line))
            if len(counted) == after_calls:
                process.kill()
    assert len(counted) >= after_calls
    return sum(counted)


def test_after_ten_kills_the_next_run_has_booked_what_the_provider_counted_and_says_how_much_it_does_not_know(
    tmp_path: Path,
) -> None:
    now = datetime.now(UTC)
    shift = (now.replace(hour=12) - now).total_seconds()
    chance, store, clock, counted = Random(15), FolderStore(tmp_path), ShiftedClock(shift), 0
    for number in range(KILLS):
        counted += _killed(tmp_path, number, shift, chance.choice([1, 3, 20, 300]) + chance.randrange(9))
    last, caps = spender("run:last", "here/last"), Caps.of(settings(CALLS, CALLS))
    with Budget(store, caps, last, Timing(clock), beat_seconds=None) as budget:
        meet(budget)
    day = record(store).day_spend
    assert counted <= day.nanodollars
    assert day.nanodollars - counted <= day.unsettled_nanodollars
    assert day.unsettled_nanodollars <= KILLS * 2 * 8 * PRICE + counted, "no more than the blocks that were open"
    assert read_spending(store, clock).unsettled_usd == day.unsettled_nanodollars / NANODOLLARS
    assert record(store).run_spend.nanodollars == 0
