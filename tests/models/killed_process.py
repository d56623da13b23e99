"""A process that asks a model until it is killed; each line that it prints is what the provider counted for a call.

`python -m tests.models.killed_process FOLDER RUN SEED SHIFT`
"""

from __future__ import annotations

import os
import sys
import threading
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from tests.fakes.scripted_model import ScriptedModel, answer
from tests.models.building import PRICE, request, settings, spender
from tribal.adapters.local.folder import FolderStore
from tribal.models import Budget, CappedModel, Caps, Timing
from tribal.ports import ModelOutcome, ModelRequest, StopToken
from tribal.runs.clock import SystemClock

CALLS = 100_000


class ShiftedClock(SystemClock):
    """Runs so many seconds ahead, so that no test begins before midnight and ends after it."""

    def __init__(self, shift_seconds: float) -> None:
        super().__init__()
        self._shift = timedelta(seconds=shift_seconds)

    def real(self) -> datetime:
        return super().real() + self._shift


def main(folder: str, run_id: str, seed: str, shift_seconds: str) -> None:
    """Ask from eight threads, for as long as the caps last."""
    chance, timing = Random(int(seed)), Timing(ShiftedClock(float(shift_seconds)))

    def counted(_: ModelRequest, number: int) -> ModelOutcome:
        cost = chance.randrange(PRICE + 1)
        os.write(sys.stdout.fileno(), f"{cost}\n".encode())
        return answer(cost)

    caps = Caps.of(settings(CALLS, CALLS, at_once=8))
    who = spender(f"run:{run_id}", f"here/{os.getpid()}")
    budget = Budget(FolderStore(Path(folder)), caps, who, timing, beat_seconds=0.01)
    model = CappedModel(ScriptedModel(counted), budget, lambda _: PRICE, StopToken(), timing)

    def ask_for_ever() -> None:
        while True:
            model.ask(request())

    for _ in range(8):
        threading.Thread(target=ask_for_ever).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
