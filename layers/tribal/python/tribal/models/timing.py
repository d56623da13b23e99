"""Clock, waiting and randomness for model calls."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tribal.ports import Clock


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock and what else tests replace."""

    clock: Clock
    monotonic: Callable[[], float] = time.monotonic
    """Seconds, for deadlines."""
    pause: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    """From 0 to 1; spreads retries of calls that failed together."""

    def now(self) -> datetime:
        """The real time in UTC."""
        return self.clock.real()


def timestamp(moment: datetime) -> str:
    """A UTC time in the format of our records."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
