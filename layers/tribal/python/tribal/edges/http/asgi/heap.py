"""Tunes how glibc reuses freed memory, since a server loads index after index."""

from __future__ import annotations

import ctypes
from contextlib import suppress

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
