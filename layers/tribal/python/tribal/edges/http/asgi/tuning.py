"""Tunes the process of a server: requests take precedence over background work, and freed memory is reused.

A computing thread holds the interpreter for `sys.getswitchinterval()` while others wait, and each request releases it
dozens of times.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from contextlib import suppress

SWITCH_SECONDS = 0.0005
"""How long a thread holds the interpreter while others wait. Measured by `python -m bench.serving`."""
_LEAST_URGENT = 19


def be_responsive() -> None:
    """Shorten the time for which threads of this process wait for each other."""
    sys.setswitchinterval(SWITCH_SECONDS)


def lower_priority() -> None:
    """Give this thread the lowest priority."""
    # Only Linux has thread priorities.
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LEAST_URGENT)


_M_ARENA_MAX = -8
"""Source: mallopt(3)."""
_M_MMAP_THRESHOLD = -3
_M_TRIM_THRESHOLD = -1
_LARGE_BYTES = 4 << 20
"""Larger blocks are returned to the system at once: vectors of an index, but no array of a request."""
_SPARE_BYTES = 32 << 20


def share_one_arena() -> None:
    """Let all threads share freed memory; separate arenas would each keep their peak."""
    with suppress(AttributeError, OSError):
        allocator = ctypes.CDLL(None)
        for parameter, value in (
            (_M_ARENA_MAX, 1),
            (_M_MMAP_THRESHOLD, _LARGE_BYTES),
            (_M_TRIM_THRESHOLD, _SPARE_BYTES),
        ):
            allocator.mallopt(parameter, value)


def release_free_memory() -> None:
    """Return free pages to the system, which takes some milliseconds. Source: malloc_trim(3)."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
