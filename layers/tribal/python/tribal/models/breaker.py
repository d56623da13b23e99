"""The circuit breaker: after many failures in a row, calls fail immediately for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

FAILURES_IN_A_ROW = 10
"""A judgement: each failure has used up its deadline with retries, so occasional failures do not open the breaker."""
OPEN_SECONDS = 60.0
"""A judgement: about a call's deadline, which an outage would cost anyway."""


class Breaker:
    """Counts failures across threads; once open, it allows one call after each `OPEN_SECONDS`."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failures = 0
        self._open_until: datetime | None = None
        self._probing = False
        self.last_failure = ""
        """Why the latest failed call failed; empty if another process saw it."""

    @property
    def open_until(self) -> datetime | None:
        """When the next call may be tried; `None` while closed."""
        return self._open_until

    def is_open(self) -> bool:
        """Whether a call would fail immediately."""
        with self._lock:
            return self._refuses()

    def admit(self) -> bool:
        """Whether a call may start; after an admitted call, `count` its outcome."""
        with self._lock:
            if self._refuses():
                return False
            self._probing = self._open_until is not None
            return True

    def count(self, *, failed: bool, why: str = "") -> None:
        """Record the outcome of an admitted call; `why` is the reason if it failed."""
        with self._lock:
            self.last_failure = why or self.last_failure
            self._failures = self._failures + 1 if failed else 0
            if not failed:
                self._open_until = None
            elif self._probing or self._failures >= FAILURES_IN_A_ROW:
                self._open_until = self._now() + timedelta(seconds=OPEN_SECONDS)
            self._probing = False

    def adopt(self, until: datetime) -> None:
        """Open until then, as another holder reports."""
        now = self._now()
        with self._lock:
            if until > now and (self._open_until is None or until > self._open_until):
                self._open_until = min(until, now + timedelta(seconds=OPEN_SECONDS))

    def _refuses(self) -> bool:
        return self._open_until is not None and (self._probing or self._now() < self._open_until)
