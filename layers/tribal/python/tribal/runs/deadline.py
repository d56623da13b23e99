"""When a stage has to hand back."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from tribal.ports import Clock


class NoDeadline:
    """All the time in the world: a run on one machine."""

    def remaining_seconds(self) -> float:
        """Infinite."""
        return math.inf


class ClockDeadline:
    """A moment of the real clock."""

    def __init__(self, clock: Clock, at: datetime) -> None:
        self._clock = clock
        self._at = at

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> ClockDeadline:
        """The deadline that many seconds from now."""
        return cls(clock, clock.real() + timedelta(seconds=seconds))

    def remaining_seconds(self) -> float:
        """Seconds that are left, never negative."""
        return max(0.0, (self._at - self._clock.real()).total_seconds())
