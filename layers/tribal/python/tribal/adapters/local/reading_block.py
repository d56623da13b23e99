"""A block in which a thread reads one generation of an index, whatever is finished meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class ReadingBlock(threading.local, Generic[Kept]):
    """What each thread keeps to from its first read within a block until it leaves the outermost one.

    Args:
        let_go: of what was kept, when a thread leaves.
    """

    def __init__(self, let_go: Callable[[Kept], None] = lambda _: None) -> None:
        self.kept: Kept | None = None
        self._let_go = let_go
        self._depth = 0

    @property
    def entered(self) -> bool:
        """Whether this thread is within a block."""
        return self._depth > 0

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Be within a block; blocks may lie within each other."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0 and self.kept is not None:
                kept, self.kept = self.kept, None
                self._let_go(kept)

    def keep(self, found: Kept) -> Kept:
        """What this thread keeps to: within a block what it found first, else what it has found now."""
        if not self._depth:
            return found
        if self.kept is None:
            self.kept = found
        return self.kept

    def forget(self) -> None:
        """Keep to nothing: what was kept is of no use any more."""
        self.kept = None
