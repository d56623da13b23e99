"""Threads for answers that wait for a model: they use no CPU meanwhile, so many wait at once.

The threads of quick answers are others, so that those never wait for a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from tribal.errors import TooManyRequests

WAITING_AT_ONCE = 32
"""Number of threads; each caller gets at most half. Source: the issue "Any model"."""
RETRY_SECONDS = 2
"""By judgement: of 32 answers that take 10 s each, some end within that time."""

Answer = TypeVar("Answer")


class WaitingThreads:
    """The threads of one server, used only within its event loop. A call beyond the limits is refused at once."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(WAITING_AT_ONCE)
        self._held: Counter[Hashable] = Counter()

    async def run(self, call: Callable[[], Answer], caller: Hashable) -> Answer:
        """Run a caller's call in a thread.

        Raises:
            TooManyRequests: when all threads are taken, or half of them by this caller.
        """
        with self.slot(caller) as limiter:
            return await to_thread.run_sync(call, limiter=limiter)

    @contextmanager
    def slot(self, caller: Hashable) -> Iterator[CapacityLimiter]:
        """Hold one of the caller's slots; yields the limiter to run one thread with.

        Raises:
            TooManyRequests: when all slots are taken, or half of them by this caller.
        """
        half = WAITING_AT_ONCE // 2
        if self._held.total() >= WAITING_AT_ONCE or self._held[caller] >= half:
            raise TooManyRequests(
                f"too many answers are waiting for a model: at most {WAITING_AT_ONCE} at once, and {half} for one "
                f"caller; retry in {RETRY_SECONDS} s",
                RETRY_SECONDS,
            )
        self._held[caller] += 1
        try:
            yield self._limiter
        finally:
            self._held[caller] -= 1
            self._held += Counter()
