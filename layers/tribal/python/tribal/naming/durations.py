"""Write durations in words."""

from __future__ import annotations

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def duration(seconds: float) -> str:
    """Write a duration in its largest unit, rounded down: "42 seconds", "3 hours"."""
    whole = max(int(seconds), 0)
    unit, length = next((each for each in _UNITS if whole >= each[1]), _UNITS[-1])
    count = whole // length
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
