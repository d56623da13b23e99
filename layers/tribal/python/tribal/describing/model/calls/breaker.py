"""The circuit breaker: after many failures in a row calls fail at once, for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

FAILURES_IN_A_ROW = 10
"""By judgement: each has used up its deadline with retries, so a provider that fails now and then opens nothing."""
OPEN_SECONDS = 60.0
"""By judgement: about the deadline of a call, the time that an outage is waited for anyway."""


class Breaker:
    """Counts failures over all threads; once open, it lets a single call through after each `OPEN_SECONDS`."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failures = 0
        self._open_until: datetime | None = None
        self._probing = False
        self.last_failure = ""
        """What ended the latest of the calls that failed; empty where another process saw it."""

    @property
    def open_until(self) -> datetime | None:
        """When the next call may be tried; `None` while it is closed."""
        return self._open_until

    def is_open(self) -> bool:
        """Whether a call would fail at once."""
        with self._lock:
            return self._refuses()

    def admit(self) -> bool:
        """Whether a call may begin; who is admitted must `count` how it ended."""
        with self._lock:
            if self._refuses():
                return False
            self._probing = self._open_until is not None
            return True

    def count(self, *, failed: bool, why: str = "") -> None:
        """A call that was admitted has ended; `why` is what ended it, if it failed."""
        with self._lock:
            self.last_failure = why or self.last_failure
            self._failures = self._failures + 1 if failed else 0
            if not failed:
                self._open_until = None
            elif self._probing or self._failures >= FAILURES_IN_A_ROW:
                self._open_until = self._now() + timedelta(seconds=OPEN_SECONDS)
            self._probing = False

    def adopt(self, until: datetime) -> None:
        """Another holder found that calls fail until then."""
        now = self._now()
        with self._lock:
            if until > now and (self._open_until is None or until > self._open_until):
                self._open_until = min(until, now + timedelta(seconds=OPEN_SECONDS))

    def _refuses(self) -> bool:
        return self._open_until is not None and (self._probing or self._now() < self._open_until)
