"""The system clock, with real time and a published time that can be fixed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso_timestamp(moment: datetime, timespec: str = "milliseconds") -> str:
    """ISO 8601 in UTC, ending in `Z`."""
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")


class SystemClock:
    """The system clock; an epoch (`SOURCE_DATE_EPOCH`, in seconds) fixes the published time.

    Published times have milliseconds, or whole seconds when fixed.
    """

    def __init__(self, source_date_epoch: int | None = None) -> None:
        self._fixed = None if source_date_epoch is None else _EPOCH + timedelta(seconds=source_date_epoch)

    def published(self) -> str:
        """ISO 8601 in UTC."""
        if self._fixed is not None:
            return iso_timestamp(self._fixed, "seconds")
        return iso_timestamp(self.real())

    def real(self) -> datetime:
        """The current time in UTC, regardless of the epoch."""
        return datetime.now(UTC)

    def elapsed_ms(self, since: datetime) -> int:
        """Milliseconds since a real time, never negative; 0 if the published time is fixed."""
        if self._fixed is not None:
            return 0
        return max(0, round((self.real() - since) / timedelta(milliseconds=1)))

    @property
    def is_fixed(self) -> bool:
        """Whether the published time is fixed."""
        return self._fixed is not None
