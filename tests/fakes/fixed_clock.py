"""A clock that moves only when a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_NOW = datetime(2026, 11, 21, 2, 45, tzinfo=UTC)


class FixedClock:
    """Shows one time until `advance` or `set` is called; `is_fixed` plays `SOURCE_DATE_EPOCH`."""

    def __init__(self, now: datetime = datetime(2026, 11, 21, 2, 45, tzinfo=UTC), *, is_fixed: bool = False) -> None:
        self._now = now
        self._start = now
        self._stands_still = is_fixed

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)

    def set(self, now: datetime) -> None:
        """Show another time."""
        self._now = now

    def published(self) -> str:
        now = self._start if self._stands_still else self._now
        return now.isoformat(timespec="seconds").replace("+00:00", "Z")

    def real(self) -> datetime:
        return self._now

    def elapsed_ms(self, since: datetime) -> int:
        return 0 if self._stands_still else round((self._now - since) / timedelta(milliseconds=1))

    @property
    def is_fixed(self) -> bool:
        return self._stands_still
