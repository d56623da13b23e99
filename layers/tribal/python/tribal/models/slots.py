"""The calls that the threads of one holder may run at once: its share of the calls of the run."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count, islice


@dataclass(frozen=True, slots=True)
class Turn:
    """A thread's place in the queue for a slot."""

    slots: Slots
    number: int

    def take(self) -> bool:
        """Take a slot if one is free for this place in the queue; do not call again after `True`."""
        return self.slots.take(self.number)

    @property
    def is_near(self) -> bool:
        """Whether its turn comes within the next round of calls."""
        return self.slots.is_near(self.number)


class Slots:
    """A first-in, first-out semaphore whose size can change in use and that knows how many threads want it.

    Tables that start together finish together, so their work unit can be replaced by the next.
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
        """Queue for a slot; returns the number in the queue."""
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = None
            return number

    def take(self, number: int) -> bool:
        """Take a slot if one is free and no earlier thread waits for it."""
        with self._lock:
            free = max(0, self._most - self._in_use)
            if number not in islice(self._waiting, free):
                return False
            del self._waiting[number]
            self._in_use += 1
            return True

    def is_near(self, number: int) -> bool:
        """Whether fewer threads are ahead in the queue than there are slots."""
        with self._lock:
            return number in islice(self._waiting, max(1, self._most))

    def leave(self, number: int) -> None:
        """Free the slot, or leave the queue."""
        with self._lock:
            if number in self._waiting:
                del self._waiting[number]
            else:
                self._in_use -= 1

    def allow_at_most(self, most: int) -> int:
        """Reduce the slots to `most`; returns the slots in use, which may be more."""
        with self._lock:
            self._most = min(self._most, most)
            return self._in_use

    def allow(self, most: int) -> None:
        """Set the number of slots."""
        with self._lock:
            self._most = most


def fair_shares(wanted: Mapping[str, int], calls_at_once: int, turn: int) -> dict[str, int]:
    """The number of calls that each holder may run, `calls_at_once` in total.

    Max-min fair. Unwanted calls are spread as well, so that a new thread need not wait. The remainder rotates with
    `turn`.
    """
    names = sorted(wanted)
    first = turn % max(1, len(names))
    names = names[first:] + names[:first]
    shares = dict.fromkeys(names, 0)
    for _ in range(calls_at_once if names else 0):
        short = [name for name in names if shares[name] < wanted[name]]
        if short:
            taker = min(short, key=lambda name: shares[name])
        else:
            taker = min(names, key=lambda name: shares[name] - wanted[name])
        shares[taker] += 1
    return shares
