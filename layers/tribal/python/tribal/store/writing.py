"""Writes objects in the background while the caller produces the next ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

WRITES_AT_ONCE = 8
"""By judgement: a write waits for a disk or for S3, and a planning function has few free connections."""
_WRITES_AHEAD = 4 * WRITES_AT_ONCE

Write = Callable[[Callable[[], object]], None]


@contextmanager
def background_writes() -> Iterator[Write]:
    """Runs writes in the background, in any order; all are complete on exit.

    Raises:
        TribalError: the error of a write, raised by a later write or on exit.
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
