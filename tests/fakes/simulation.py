"""Threads in simulated time: one runs at a time, and time passes only while all of them pause."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

_PATIENCE_SECONDS = 60.0
"""For a thread that blocks on something else than a pause, which would be a defect of the test."""


class Simulation:
    """A clock, and threads that run by it; which of several that wake at the same time goes first is up to the seed.

    Outside of `run`, a pause just lets time pass.
    """

    def __init__(self, seed: int = 0, start: datetime = datetime(2026, 11, 21, 2, 45, tzinfo=UTC)) -> None:
        self.random = Random(seed).random
        self._start = start
        self._seconds = 0.0
        self._sleeping: list[tuple[float, float, int, threading.Semaphore]] = []
        self._idle = threading.Semaphore(0)
        self._own: dict[int, threading.Semaphore] = {}
        self._errors: list[BaseException] = []

    def real(self) -> datetime:
        return self._start + timedelta(seconds=self._seconds)

    def published(self) -> str:
        return self.real().isoformat(timespec="seconds").replace("+00:00", "Z")

    def elapsed_ms(self, since: datetime) -> int:
        return round((self.real() - since) / timedelta(milliseconds=1))

    @property
    def is_fixed(self) -> bool:
        return False

    def monotonic(self) -> float:
        return self._seconds

    def pause(self, seconds: float) -> None:
        """Let that much time pass."""
        turn = self._own.get(threading.get_ident())
        if turn is None:
            self._seconds += seconds
            return
        self._sleep(seconds, turn)
        self._idle.release()
        turn.acquire()

    def run(self, *works: Callable[[], object]) -> None:
        """Run each piece of work in a thread of its own until all have ended; raises what the first of them raised."""
        threads = [threading.Thread(target=self._work, args=(work, self._turn()), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for _ in works:
            self._idle.acquire()  # its `_turn` is in the queue already; this is it saying that it waits
        while self._sleeping:
            self._seconds, _, _, turn = heapq.heappop(self._sleeping)
            turn.release()
            assert self._idle.acquire(timeout=_PATIENCE_SECONDS), "a simulated thread waits for something real"
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]

    def _turn(self) -> threading.Semaphore:
        turn = threading.Semaphore(0)
        self._sleep(0.0, turn)
        return turn

    def _sleep(self, seconds: float, turn: threading.Semaphore) -> None:
        heapq.heappush(self._sleeping, (self._seconds + seconds, self.random(), id(turn), turn))

    def _work(self, work: Callable[[], object], turn: threading.Semaphore) -> None:
        self._own[threading.get_ident()] = turn
        self._idle.release()
        turn.acquire()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised by `run`
            self._errors.append(error)
        finally:
            del self._own[threading.get_ident()]
            self._idle.release()
