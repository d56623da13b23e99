"""Time, waiting and chance, as calls of models use them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tribal.ports import Clock


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock by which days and terms are judged, and what else a test replaces."""

    clock: Clock
    monotonic: Callable[[], float] = time.monotonic
    """Seconds, for deadlines."""
    pause: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    """From 0 to 1, so that those who failed together do not come back together."""

    def now(self) -> datetime:
        """The real time in UTC."""
        return self.clock.real()


def timestamp(moment: datetime) -> str:
    """A time in UTC as records have it."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
