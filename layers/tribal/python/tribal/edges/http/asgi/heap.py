"""How the C library keeps memory that was freed: a server reads index after index. Of glibc alone."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8
"""Source: mallopt(3)."""
_M_MMAP_THRESHOLD = -3
_M_TRIM_THRESHOLD = -1
_LARGE_BYTES = 4 << 20
"""What is larger goes back to the system at once: the vectors of an index, and no array of a request."""
_SPARE_BYTES = 32 << 20


def share_one_arena() -> None:
    """Have freed memory reused by all threads: each thread's own arena keeps what it once needed."""
    with suppress(AttributeError, OSError):
        allocator = ctypes.CDLL(None)
        for parameter, value in (
            (_M_ARENA_MAX, 1),
            (_M_MMAP_THRESHOLD, _LARGE_BYTES),
            (_M_TRIM_THRESHOLD, _SPARE_BYTES),
        ):
            allocator.mallopt(parameter, value)


def release_free_memory() -> None:
    """Give free pages back to the system, which takes some milliseconds. Source: malloc_trim(3)."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
