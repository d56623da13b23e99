"""Which answers are made at once: quick ones never, slow ones next to others, and few in all."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from tests.waiting import LONGEST_SECONDS
from tribal.edges.http.asgi import answer_threads
from tribal.edges.http.asgi.answer_threads import CALLS_AT_ONCE, AnswerThreads

ANY = "alice"


class Watched:
    """Counts the calls that run at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.running = self.busiest = 0
        self.order: list[int] = []

    def call(self, number: int, work: Callable[[], object]) -> Callable[[], int]:
        def run() -> int:
            with self._lock:
                self.running += 1
                self.busiest = max(self.busiest, self.running)
                self.order.append(number)
            try:
                work()
            finally:
                with self._lock:
                    self.running -= 1
            return number

        return run


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop and the threads go on until something holds."""
    while not holds():
        await asyncio.sleep(0)


def test_quick_answers_are_made_one_after_the_other_in_the_order_in_which_they_were_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_threads, "QUICK_SECONDS", 60.0)
    watched = Watched()

    async def ask() -> list[int]:
        own = AnswerThreads()
        return await asyncio.gather(*(own.run(watched.call(n, lambda: time.sleep(0.001)), ANY) for n in range(20)))

    assert asyncio.run(ask()) == list(range(20))
    assert (watched.busiest, watched.order) == (1, list(range(20)))


def test_a_slow_answer_lets_others_be_made_next_to_it_but_few_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_threads, "QUICK_SECONDS", 0.01)
    watched, may_end = Watched(), threading.Event()

    async def ask() -> None:
        own = AnswerThreads()
        slow = [
            asyncio.create_task(own.run(watched.call(n, lambda: may_end.wait(LONGEST_SECONDS)), n))
            for n in range(CALLS_AT_ONCE - 1)
        ]
        assert [await own.run(watched.call(n, lambda: None), n) for n in (10, 11)] == [10, 11]
        slow += [
            asyncio.create_task(own.run(watched.call(n, lambda: may_end.wait(LONGEST_SECONDS)), n))
            for n in (20, 21, 22)
        ]
        await until(lambda: watched.running >= CALLS_AT_ONCE)
        may_end.set()
        await asyncio.gather(*slow)

    asyncio.run(ask())
    assert watched.busiest == CALLS_AT_ONCE
    assert len(watched.order) == CALLS_AT_ONCE + 4


def test_an_answer_that_fails_or_that_no_one_waits_for_passes_its_turn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_threads, "QUICK_SECONDS", 60.0)
    watched, may_end = Watched(), threading.Event()

    def fail() -> None:
        raise KeyError

    async def ask() -> int:
        own = AnswerThreads()
        with pytest.raises(KeyError):
            await own.run(watched.call(1, fail), ANY)
        running = asyncio.create_task(own.run(watched.call(2, lambda: may_end.wait(LONGEST_SECONDS)), ANY))
        waiting = asyncio.create_task(own.run(watched.call(3, lambda: None), ANY))
        await until(lambda: watched.running == 1)
        running.cancel()
        waiting.cancel()
        may_end.set()
        await asyncio.gather(running, waiting, return_exceptions=True)
        return await own.run(watched.call(4, lambda: None), ANY)

    assert asyncio.run(ask()) == 4
    assert 3 not in watched.order


def test_one_caller_occupies_at_most_half_of_the_threads_and_others_are_answered_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_threads, "QUICK_SECONDS", 0.001)
    watched, may_end = Watched(), threading.Event()

    async def ask() -> None:
        own = AnswerThreads()
        slow = [
            asyncio.create_task(own.run(watched.call(n, lambda: may_end.wait(LONGEST_SECONDS)), "mallory"))
            for n in range(2 * CALLS_AT_ONCE)
        ]
        for number in range(10):
            assert await own.run(watched.call(100 + number, lambda: None), "alice") == 100 + number
        await until(lambda: sum(number < 100 for number in watched.order) >= CALLS_AT_ONCE // 2)
        assert sum(number < 100 for number in watched.order) == CALLS_AT_ONCE // 2
        may_end.set()
        await asyncio.gather(*slow)

    asyncio.run(ask())
    assert len(watched.order) == 2 * CALLS_AT_ONCE + 10
