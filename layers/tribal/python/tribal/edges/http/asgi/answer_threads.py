"""Answers in threads: quick ones one after the other, slow ones beside them.

Two answers at once get half a processor each, and take the interpreter and its caches from each other dozens of times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from tribal.edges.mcp.caller_slots import CallerSlots

CALLS_AT_ONCE = 4
"""Threads that answer, of which each caller gets half. Two at once are best for one caller: most of an answer is
Python, which runs one at a time. Measured by `python -m bench.serving`."""
QUICK_SECONDS = 0.05
"""After so long an answer makes room for another beside it. By judgement: four times as long as a search takes."""

Answer = TypeVar("Answer")


class AnswerThreads:
    """The threads of one server."""

    def __init__(self) -> None:
        self._limiter, self._threads = CapacityLimiter(CALLS_AT_ONCE), CapacityLimiter(CALLS_AT_ONCE)
        self._turn = asyncio.Lock()
        self._slots = CallerSlots(CALLS_AT_ONCE)

    async def run(self, call: Callable[[], Answer], caller: Hashable) -> Answer:
        """Run a call of a caller in a thread when it is its turn."""
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
