"""A block in which a thread reads one generation of an index, whatever is published meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Pinned = TypeVar("Pinned")


class ReadingBlock(threading.local, Generic[Pinned]):
    """Pins the value of each thread's first read until the thread leaves its outermost block.

    Args:
        release: called with the pinned value when a thread leaves.
    """

    def __init__(self, release: Callable[[Pinned], None] = lambda _: None) -> None:
        self.kept: Pinned | None = None
        self._release = release
        self._depth = 0

    @property
    def entered(self) -> bool:
        """Whether this thread is inside a block."""
        return self._depth > 0

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Enter a block; blocks may be nested."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0 and self.kept is not None:
                kept, self.kept = self.kept, None
                self._release(kept)

    def pin(self, found: Pinned) -> Pinned:
        """The pinned value: inside a block the first one found, else `found` itself."""
        if not self._depth:
            return found
        if self.kept is None:
            self.kept = found
        return self.kept

    def forget(self) -> None:
        """Unpin the value without releasing it, because it is no longer usable."""
        self.kept = None
