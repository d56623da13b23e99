"""The calls that the threads of one holder may have under way."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import count, islice


@dataclass(frozen=True, slots=True)
class Turn:
    """A thread's place in the queue for a slot."""

    slots: Slots
    number: int

    def take(self) -> bool:
        """Take a slot, unless none is free for who came so late; says whether it did, and is then not called again."""
        return self.slots.take(self.number)

    @property
    def is_near(self) -> bool:
        """Whether it comes by the time that all calls which may be under way have ended once."""
        return self.slots.is_near(self.number)


class Slots:
    """A semaphore whose size changes while it is used, that knows how many threads want it, and serves them in order.

    Tables that began together end together so, and their work unit makes room for the next.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._most = 0
        self._in_use = 0
        self._numbers = count()
        self._waiting: dict[int, None] = {}

    @property
    def wanted(self) -> int:
        """Threads that have a slot or want one."""
        with self._lock:
            return self._in_use + len(self._waiting)

    def want(self) -> int:
        """A thread comes for a slot; returns its number in the queue."""
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = None
            return number

    def take(self, number: int) -> bool:
        """Take a slot if one is free and nobody who came before waits for it."""
        with self._lock:
            free = max(0, self._most - self._in_use)
            if number not in islice(self._waiting, free):
                return False
            del self._waiting[number]
            self._in_use += 1
            return True

    def is_near(self, number: int) -> bool:
        """Whether no more threads came before and wait than there may be calls under way."""
        with self._lock:
            return number in islice(self._waiting, max(1, self._most))

    def leave(self, number: int) -> None:
        """A thread goes: it frees the slot that it took, or waits for one no more."""
        with self._lock:
            if number in self._waiting:
                del self._waiting[number]
            else:
                self._in_use -= 1

    def allow_at_most(self, most: int) -> int:
        """Let no call begin beyond `most` from now on; returns the slots in use, which may be more."""
        with self._lock:
            self._most = min(self._most, most)
            return self._in_use

    def allow(self, most: int) -> None:
        """Let as many calls be under way."""
        with self._lock:
            self._most = most
