"""Runs answers in threads: fast ones one at a time, slow ones in parallel.

Two parallel answers get half of the CPU each, and switch the interpreter and its caches dozens of times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from tribal.edges.mcp.caller_slots import CallerSlots

CALLS_AT_ONCE = 4
"""Number of threads; each caller gets half. Two are best for one caller, since most of an answer is Python, which
runs in one thread at a time. Measured by `python -m bench.serving`."""
QUICK_SECONDS = 0.05
"""After this time the next answer may start. By judgement: four times the duration of a search."""

Answer = TypeVar("Answer")


class AnswerThreads:
    """The threads of one server."""

    def __init__(self) -> None:
        self._limiter, self._threads = CapacityLimiter(CALLS_AT_ONCE), CapacityLimiter(CALLS_AT_ONCE)
        self._turn = asyncio.Lock()
        self._slots = CallerSlots(CALLS_AT_ONCE)

    async def run(self, call: Callable[[], Answer], caller: Hashable) -> Answer:
        """Run a caller's call in a thread, as soon as it may start."""
        async with self._slots.of(caller), self._limiter:
            await self._turn.acquire()
            holds = [True]

            def pass_on() -> None:
                if holds:
                    holds.clear()
                    self._turn.release()

            timer = asyncio.get_running_loop().call_later(QUICK_SECONDS, pass_on)
            try:
                return await to_thread.run_sync(call, limiter=self._threads)
            finally:
                timer.cancel()
                pass_on()
