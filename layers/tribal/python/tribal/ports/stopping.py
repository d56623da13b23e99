"""The one answer to the question whether to stop."""

from __future__ import annotations

import math
from collections.abc import Callable


def _endless() -> float:
    return math.inf


class StopToken:
    """Says that work has to end: because of a signal, a lease that was lost, or a deadline that comes near.

    Whoever finds a reason to stop calls `request`; whoever works asks between two pieces of work. A deadline is no
    failure: what is under way is handed back in time and carried on later.

    Args:
        remaining_seconds: seconds until the deadline; without one there is all the time in the world.
    """

    __slots__ = ("_cause", "_remaining")

    def __init__(self, remaining_seconds: Callable[[], float] = _endless) -> None:
        self._remaining = remaining_seconds
        self._cause: Exception | None = None

    def request(self, cause: Exception) -> None:
        """Ask to stop; the first cause counts. Takes no lock, so that a signal handler may call it."""
        if self._cause is None:
            self._cause = cause

    @property
    def requested(self) -> bool:
        """Whether somebody asked to stop."""
        return self._cause is not None

    @property
    def cause(self) -> Exception | None:
        """Why somebody asked to stop; `None` while nobody has."""
        return self._cause

    def check(self) -> None:
        """Raise the cause once somebody asked to stop."""
        if self._cause is not None:
            # A fresh traceback each time: many threads may raise the same cause.
            raise self._cause.with_traceback(None)

    def remaining_seconds(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return self._remaining()

    def leaves(self, seconds: float) -> bool:
        """Whether something that takes this long may be begun."""
        return self._cause is None and self._remaining() >= seconds
