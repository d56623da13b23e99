"""Shares threads among callers, so that no caller can occupy all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from anyio import CapacityLimiter


class CallerSlots:
    """Gives each caller at most half of the threads; further calls wait.

    Args:
        threads: number of threads for all callers.
    """

    def __init__(self, threads: int) -> None:
        self._most = max(1, threads // 2)
        self._limiters: dict[Hashable, tuple[CapacityLimiter, int]] = {}

    @asynccontextmanager
    async def of(self, caller: Hashable) -> AsyncIterator[None]:
        """Hold one of the caller's slots."""
        limiter, users = self._limiters.get(caller, (CapacityLimiter(self._most), 0))
        self._limiters[caller] = (limiter, users + 1)
        try:
            async with limiter:
                yield
        finally:
            limiter, users = self._limiters.pop(caller)
            if users > 1:
                self._limiters[caller] = (limiter, users - 1)
