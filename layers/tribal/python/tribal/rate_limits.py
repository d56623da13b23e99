"""Limits how often each caller may do something, within one process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

_CALLERS_REMEMBERED = 10_000
_MINUTE = 60.0


class TokenBuckets:
    """One token bucket per caller; those of the callers that were idle longest are forgotten."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._tokens: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, subject: str, per_minute: int, burst: float) -> float:
        """Take a token; more than 0 when none is left.

        Args:
            subject: the caller.
            per_minute: tokens that are added per minute, more than 0.
            burst: tokens that a bucket holds, at least 1.
        """
        now, per_second = self._now(), per_minute / _MINUTE
        tokens, at = self._tokens.pop(subject, (burst, now))
        tokens = min(burst, tokens + (now - at) * per_second)
        is_allowed = tokens >= 1
        self._tokens[subject] = (tokens - 1 if is_allowed else tokens, now)
        while len(self._tokens) > _CALLERS_REMEMBERED:
            self._tokens.popitem(last=False)
        return 0.0 if is_allowed else (1 - tokens) / per_second
