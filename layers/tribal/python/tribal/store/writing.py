"""Writes many objects while their maker goes on with the next ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

WRITES_AT_ONCE = 8
"""By judgement: a write waits for a disk or for S3, and a planning function has few connections to spare."""
_WRITES_AHEAD = 4 * WRITES_AT_ONCE

Write = Callable[[Callable[[], object]], None]


@contextmanager
def background_writes() -> Iterator[Write]:
    """Takes writes, in any order done; on leaving, all of them are done.

    Raises:
        TribalError: what a write raised, at a later one or on leaving.
    """
    pending: deque[Future[object]] = deque()
    with ThreadPoolExecutor(WRITES_AT_ONCE, thread_name_prefix="writer") as threads:

        def write(put: Callable[[], object]) -> None:
            if len(pending) >= _WRITES_AHEAD:
                pending.popleft().result()
            pending.append(threads.submit(put))

        yield write
        while pending:
            pending.popleft().result()
