"""When to retry a failed call."""

from __future__ import annotations

from collections.abc import Callable

from tribal.ports import ModelFailure

LONGEST_RETRY_AFTER_SECONDS = 30.0
"""Longer requested waits are not made; a judgement, half of a call's usual deadline."""
TRANSIENT = frozenset({"throttled", "overloaded", "unavailable"})
BUSY = frozenset({"throttled", "overloaded"})
"""The provider is overloaded, so all calls wait, not only the failed one."""
DOWN = TRANSIENT | {"timed_out"}
"""The provider does not respond; all other failures show that it does."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 20.0
_LEAST_LEFT = 0.2


def wait_is_too_long(failure: ModelFailure) -> bool:
    """Whether the provider asks for a longer wait than a call has time for, such as until tomorrow."""
    return (failure.retry_after_seconds or 0.0) > LONGEST_RETRY_AFTER_SECONDS


def retry_delay(failure: ModelFailure, attempt: int, random: Callable[[], float]) -> float:
    """Seconds to wait after attempt number `attempt`, from 0: exponential, with full jitter.

    At least as long as the provider asks for.
    """
    backoff = random() * min(_FIRST_SECONDS * 2.0**attempt, _LONGEST_SECONDS)
    return max(backoff, failure.retry_after_seconds or 0.0)


def has_time_left(left_seconds: float, deadline_seconds: float) -> bool:
    """Whether another attempt can finish; one that is cut off costs its highest price for nothing."""
    return left_seconds >= _LEAST_LEFT * deadline_seconds
