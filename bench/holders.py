"""How well the calls at once of a model are used by functions that each describe a unit: real budgets, pretended calls.

`python -m bench.holders` has 9, 14 and 18 functions at once describe 36 units of 10 to 18 tables, each in a thread with
a budget of its own over one store in memory. A function takes 4 s to start, a request to the store 10 ms, a call 8 s.
"""

from __future__ import annotations

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.fakes.memory_store import MemoryStore
from tribal.describing.model.calls import Budget, Timing
from tribal.ports import StoredObject
from tribal.runs.clock import SystemClock
from tribal_contracts import ModelSettings

WIDTHS = (9, 14, 18)
CALLS_AT_ONCE, CALL_SECONDS = 50, 8.0
_START_SECONDS, _STORE_SECONDS, _WRITE_SECONDS, _POLL_SECONDS, _FAR_SECONDS = 4.0, 0.01, 0.05, 0.1, 0.5
_UNITS, _TABLES = 36, (10, 12, 14, 14, 16, 18)
_PRICE = 1_000_000
_SEED = 15


class _SlowStore(MemoryStore):
    def get(self, key: str) -> StoredObject:
        time.sleep(_STORE_SECONDS)
        return super().get(key)

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        time.sleep(_STORE_SECONDS)
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def main() -> int:
    """Measure and print; returns the exit code."""
    units = random.Random(_SEED).choices(_TABLES, k=_UNITS)
    least = sum(units) / CALLS_AT_ONCE * CALL_SECONDS
    for width in WIDTHS:
        seconds = measured(units, width)
        print(f"{width} functions at once, {sum(units)} calls: {seconds:.1f} s, {seconds / least:.2f} of the least")
    return 0


def measured(units: list[int], width: int) -> float:
    """Seconds from the first call to the last answer."""
    store, begun = _SlowStore(), list[float]()
    settings = ModelSettings(
        provider="bedrock", name="any", calls_at_once=CALLS_AT_ONCE, per_run_usd=1_000, per_day_usd=1_000
    )

    def describe(budget: Budget) -> None:
        with budget.wanting_slot() as turn:
            while not turn.take():
                time.sleep(_POLL_SECONDS if turn.is_near else _FAR_SECONDS)
            while budget.reserve(_PRICE) != "reserved":
                time.sleep(_POLL_SECONDS)
            begun.append(time.monotonic())
            time.sleep(CALL_SECONDS)
            budget.book(_PRICE, _PRICE // 1_000)
        time.sleep(_WRITE_SECONDS)

    def unit(number: int) -> None:
        time.sleep(_START_SECONDS)
        budget = Budget(store, settings, "run", f"function-{number}", Timing(SystemClock()))
        with budget, ThreadPoolExecutor(CALLS_AT_ONCE) as threads:
            for done in [threads.submit(describe, budget) for _ in range(units[number])]:
                done.result()

    with ThreadPoolExecutor(width) as functions:
        for done in [functions.submit(unit, number) for number in range(len(units))]:
            done.result()
    return max(begun) + CALL_SECONDS - min(begun)


if __name__ == "__main__":
    sys.exit(main())
