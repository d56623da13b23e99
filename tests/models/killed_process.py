"""A process that asks a model for several accounts until it is killed.

Each line that it prints is what the provider counted for a call, or the kind of a refusal after a `!`.

`python -m tests.models.killed_process FOLDER ACCOUNT,... SEED SHIFT CALLS_A_DAY TERM_SECONDS`
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import tribal.models.ledger as ledger
from tests.fakes.scripted_model import ScriptedModel, answer
from tests.models.building import PRICE, request, settings, spender
from tribal.adapters.local.folder import FolderStore
from tribal.jobs.clock import SystemClock
from tribal.models import Budget, CappedModel, Caps, Timing
from tribal.ports import ModelAnswer, ModelOutcome, ModelRequest, StopToken

CALLS = 100_000
_THREADS = 8


class ShiftedClock(SystemClock):
    """Runs so many seconds ahead, so that no test begins before midnight and ends after it."""

    def __init__(self, shift_seconds: float) -> None:
        super().__init__()
        self._shift = timedelta(seconds=shift_seconds)

    def real(self) -> datetime:
        return super().real() + self._shift


def main(folder: str, accounts: str, seed: str, shift_seconds: str, calls_a_day: str, term_seconds: str) -> None:
    """Ask from eight threads, an equal number for each account, until the caps are reached."""
    chance, timing = Random(int(seed)), Timing(ShiftedClock(float(shift_seconds)))
    names = accounts.split(",")

    def counted(_: ModelRequest, number: int) -> ModelOutcome:
        cost = chance.randrange(PRICE + 1)
        os.write(sys.stdout.fileno(), f"{cost}\n".encode())
        return answer(cost)

    def ask_until_refused(model: CappedModel) -> str:
        while isinstance(outcome := model.ask(request()), ModelAnswer):
            pass
        return outcome.kind

    def spend(account: str) -> None:
        at_once = _THREADS // len(names)
        who = spender(account, f"{account}/{os.getpid()}")
        with (
            Budget(FolderStore(Path(folder)), caps, who, timing, beat_seconds=0.05) as budget,
            ThreadPoolExecutor(at_once) as threads,
        ):
            model = CappedModel(ScriptedModel(counted), budget, lambda _: PRICE, StopToken(), timing)
            for kind in threads.map(lambda _: ask_until_refused(model), range(at_once)):
                os.write(sys.stdout.fileno(), f"!{kind}\n".encode())

    caps = Caps.of(settings(CALLS, int(calls_a_day), at_once=8))
    # Others wait so long for the money of a process that was killed.
    ledger.TERM = timedelta(seconds=float(term_seconds))
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(spend, names))


if __name__ == "__main__":
    main(*sys.argv[1:])
