"""Ends a run's calls of a model that keeps failing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from tribal.ports import Clock, FailureKind, ModelFailure

FAILURES_IN_A_ROW = 10
"""After so many tables in a row without an answer, no other is likely to get one. By judgement."""
_FAILURES_OF_A_SILENT_SERVER = 3
"""The same for a server that lets each call wait until its time is up. By judgement."""
_SILENT = ("timed_out", "unavailable")
_OF_THE_TABLE: frozenset[FailureKind] = frozenset(
    {"refused", "too_long", "rejected", "exhausted", "interrupted", "stopped"}
)
"""Failures that say nothing about the next table, or that end the calls anyway."""


class FailureStreak:
    """Counts subjects in a row that got no answer, over all threads and databases of a run.

    Args:
        stop: ends the run's calls, with the reason.
        clock: measures how long the failures took.
        patience_seconds: how long a few failures in a row may take.
    """

    def __init__(self, stop: Callable[[str], None], clock: Clock, patience_seconds: float) -> None:
        self._stop = stop
        self._clock = clock
        self._patience = timedelta(seconds=patience_seconds)
        self._lock = threading.Lock()
        self._failures = self._silent = 0
        self._since: datetime | None = None
        self._silent_since: datetime | None = None

    def end(self) -> None:
        """Count an answer, or parts of one."""
        with self._lock:
            self._failures = self._silent = 0
            self._since = self._silent_since = None

    def count(self, failure: ModelFailure, time_ms: int) -> None:
        """Count a subject without an answer, whose calls took so many milliseconds."""
        if failure.kind in _OF_THE_TABLE:
            return
        with self._lock:
            now = self._clock.real()
            began = now - timedelta(milliseconds=time_ms)
            is_silent = failure.kind in _SILENT
            self._silent = self._silent + 1 if is_silent else 0
            self._silent_since = (self._silent_since or began) if is_silent else None
            self._since = self._since or began
            self._failures += 1
            waited = now - self._silent_since if self._silent_since is not None else timedelta()
            is_gone = self._silent >= _FAILURES_OF_A_SILENT_SERVER and waited >= self._patience
            if self._failures < FAILURES_IN_A_ROW and not is_gone:
                return
            failures, took = self._failures, now - self._since
        self._stop(
            f"{failures} questions in a row got no answer from the model, which took {_minutes(took)}: "
            f"{failure.message}; fix that and run again; finished tables are kept"
        )


def _minutes(took: timedelta) -> str:
    seconds = took.total_seconds()
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
