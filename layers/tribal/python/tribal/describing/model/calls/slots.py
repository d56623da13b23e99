"""The calls that the threads of one holder may have under way."""

from __future__ import annotations

import threading


class Slots:
    """A semaphore whose size changes while it is used, and that knows how many threads want it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._most = 0
        self._in_use = 0
        self._wanted = 0

    @property
    def wanted(self) -> int:
        """Threads that have a slot or want one."""
        return self._wanted

    def want(self) -> None:
        """A thread comes for a slot."""
        with self._lock:
            self._wanted += 1

    def take(self) -> bool:
        """Take a slot if one is free."""
        with self._lock:
            taken = self._in_use < self._most
            self._in_use += taken
            return taken

    def leave(self, *, took: bool) -> None:
        """A thread that wanted a slot goes, and frees it if it took one."""
        with self._lock:
            self._wanted -= 1
            self._in_use -= took

    def allow_at_most(self, most: int) -> int:
        """Let no call begin beyond `most` from now on; returns the slots in use, which may be more."""
        with self._lock:
            self._most = min(self._most, most)
            return self._in_use

    def allow(self, most: int) -> None:
        """Let as many calls be under way."""
        with self._lock:
            self._most = most
