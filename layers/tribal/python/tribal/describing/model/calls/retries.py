"""When a failed call is tried again."""

from __future__ import annotations

from collections.abc import Callable

from tribal.ports import ModelFailure

LONGEST_RETRY_AFTER_SECONDS = 30.0
"""Who is asked to wait longer gives up: by judgement, half of a call's usual deadline."""
TRANSIENT = frozenset({"throttled", "overloaded", "unavailable"})
BUSY = frozenset({"throttled", "overloaded"})
"""The provider has too much to do, so that every call waits, not only the one that failed."""
DOWN = TRANSIENT | {"timed_out"}
"""The provider does not answer; all other failures show that it does."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 20.0
_LEAST_LEFT = 0.2


def asks_too_much(failure: ModelFailure) -> bool:
    """Whether the provider wants a longer wait than any call has time for, such as until tomorrow."""
    return (failure.retry_after_seconds or 0.0) > LONGEST_RETRY_AFTER_SECONDS


def retry_delay(failure: ModelFailure, attempt: int, random: Callable[[], float]) -> float:
    """Seconds to wait after the attempt of that number, from 0: exponential, with full jitter.

    What the provider asks for is waited at the least.
    """
    backoff = random() * min(_FIRST_SECONDS * 2.0**attempt, _LONGEST_SECONDS)
    return max(backoff, failure.retry_after_seconds or 0.0)


def leaves_time(left_seconds: float, deadline_seconds: float) -> bool:
    """Whether another attempt can end: one that is cut off costs its worst price for nothing."""
    return left_seconds >= _LEAST_LEFT * deadline_seconds
