"""Cooperative cancellation."""

from __future__ import annotations

import math
from collections.abc import Callable


def _endless() -> float:
    return math.inf


class StopToken:
    """Signals that work has to stop, because of a signal, a lost lease or an approaching deadline.

    Code that finds a reason to stop calls `request`; workers check between two items. A deadline is not a failure:
    unfinished work is handed back in time and resumed later.

    Args:
        remaining_seconds: returns the seconds until the deadline; infinite by default.
    """

    __slots__ = ("_cause", "_remaining")

    def __init__(self, remaining_seconds: Callable[[], float] = _endless) -> None:
        self._remaining = remaining_seconds
        self._cause: Exception | None = None

    def request(self, cause: Exception) -> None:
        """Ask to stop; the first cause wins. Takes no lock, so signal handlers may call it."""
        if self._cause is None:
            self._cause = cause

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._cause is not None

    @property
    def cause(self) -> Exception | None:
        """Why a stop was requested; `None` if none was."""
        return self._cause

    def check(self) -> None:
        """Raise the cause if a stop was requested."""
        if self._cause is not None:
            # A fresh traceback each time: many threads may raise the same cause.
            raise self._cause.with_traceback(None)

    def remaining_seconds(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return self._remaining()

    def has_time_for(self, seconds: float) -> bool:
        """Whether the remaining time is enough for work that takes this long."""
        return self._cause is None and self._remaining() >= seconds
