"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

LONGEST_SECONDS = 60.0
"""Ends a test that hangs. It says nothing about speed: on a busy machine everything takes its time."""
_PAUSE_SECONDS = 0.01

Found = TypeVar("Found")


def wait_until(
    look: Callable[[], Found], longest_seconds: float = LONGEST_SECONDS, pause_seconds: float = _PAUSE_SECONDS
) -> Found:
    """Look again and again, and return what is found first that is not false or empty."""
    ends = time.monotonic() + longest_seconds
    while not (found := look()):
        assert time.monotonic() < ends, f"it did not come within {longest_seconds:g} s"
        time.sleep(pause_seconds)
    return found
