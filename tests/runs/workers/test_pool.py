"""Many things at once, and how to stop them."""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from multiprocessing.synchronize import Event
from typing import TypeVar

import pytest

from tests.cases import each_case
from tests.forked import exit_code, forked, shared_event, wait_until
from tribal.errors import EXIT_INTERRUPTED, LeaseLost, RunInterrupted
from tribal.ports import StopToken, WorkerPool
from tribal.runs import signals
from tribal.runs.signals import STOPPING, interrupted, stop_on_signal
from tribal.runs.workers.pool import ThreadWorkerPool

PATIENCE_SECONDS = 30.0

Item = TypeVar("Item")
Result = TypeVar("Result")


def _drain(run: Iterator[tuple[Item, Result]], into: list[tuple[Item, Result]]) -> None:
    """Keep what a run yields before it raises."""
    for pair in run:
        into.append(pair)  # noqa: PERF402 - what came before an error has to be kept


def _double(number: int) -> int:
    return 2 * number


def test_every_item_comes_with_its_own_result() -> None:
    pool: WorkerPool = ThreadWorkerPool()
    assert sorted(pool.run(_double, range(100), 7)) == [(number, 2 * number) for number in range(100)]
    assert list(pool.run(_double, [], 4)) == []


@each_case("at_once", [1, 2, 4])
def test_as_many_items_as_allowed_are_in_progress_and_never_more(at_once: int) -> None:
    together = threading.Barrier(at_once)
    lock = threading.Lock()
    under_way = most = 0

    def work(_: int) -> None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait(PATIENCE_SECONDS)
        with lock:
            under_way -= 1

    assert len(list(ThreadWorkerPool().run(work, range(5 * at_once), at_once))) == 5 * at_once
    assert most == at_once


def test_an_endless_source_is_taken_only_as_far_as_it_is_needed() -> None:
    source = itertools.count()
    results = ThreadWorkerPool().run(_double, source, 3)
    for _ in range(10):
        next(results)
    results.close()  # type: ignore[attr-defined]
    assert 10 <= next(source) <= 13


def test_a_result_is_yielded_while_others_are_still_in_progress() -> None:
    first_was_seen = threading.Event()

    def work(number: int) -> bool:
        return number == 0 or first_was_seen.wait(PATIENCE_SECONDS)

    results = ThreadWorkerPool().run(work, [0, 1], 2)
    assert next(results) == (0, True)
    first_was_seen.set()
    assert list(results) == [(1, True)]


def test_an_error_is_raised_after_what_is_in_progress_has_ended_and_was_yielded() -> None:
    both_run, has_failed = threading.Barrier(2), threading.Event()

    def work(item: str) -> str:
        both_run.wait(PATIENCE_SECONDS)
        if item == "bad":
            has_failed.set()
            raise ZeroDivisionError(item)
        assert has_failed.wait(PATIENCE_SECONDS)
        return "finished"

    results: list[tuple[str, str]] = []
    with pytest.raises(ZeroDivisionError, match="bad"):
        _drain(ThreadWorkerPool().run(work, ["bad", "good"], 2), results)
    assert results == [("good", "finished")]


def test_nothing_is_started_after_an_error() -> None:
    started = []

    def work(number: int) -> None:
        started.append(number)
        if number == 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(ThreadWorkerPool().run(work, range(100), 1))
    assert started == [0, 1, 2]


def test_an_error_of_the_source_is_raised_after_what_is_in_progress() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise LookupError

    results: list[tuple[int, int]] = []
    with pytest.raises(LookupError):
        _drain(ThreadWorkerPool().run(_double, source(), 2), results)
    assert results == [(1, 2)]


def test_stopping_ends_what_is_in_progress_starts_nothing_more_and_interrupts() -> None:
    stop = StopToken()
    pool = ThreadWorkerPool(stop)
    both_run, stopped = threading.Barrier(2), threading.Event()
    started = []

    def work(number: int) -> int:
        started.append(number)
        both_run.wait(PATIENCE_SECONDS)
        if number == 0:
            stop.request(interrupted())
            stopped.set()
        assert stopped.wait(PATIENCE_SECONDS)
        return number

    results: list[tuple[int, int]] = []
    with pytest.raises(RunInterrupted):
        _drain(pool.run(work, itertools.count(), 2), results)
    assert sorted(results) == [(0, 0), (1, 1)]
    assert sorted(started) == [0, 1]
    assert stop.requested


def test_a_stopped_pool_runs_nothing() -> None:
    stop = StopToken()
    pool = ThreadWorkerPool(stop)
    assert not stop.requested
    stop.request(interrupted())
    with pytest.raises(RunInterrupted, match="again to resume"):
        list(pool.run(_double, [1], 1))


def test_runs_inside_runs_do_not_wait_for_each_other() -> None:
    pool = ThreadWorkerPool()

    def unit(number: int) -> int:
        return sum(result for _, result in pool.run(lambda part: part * number, range(5), 2))

    sums: list[tuple[int, int]] = []
    thread = threading.Thread(target=lambda: sums.extend(pool.run(unit, range(8), 4)), daemon=True)
    thread.start()
    thread.join(PATIENCE_SECONDS)
    assert sorted(sums) == [(number, 10 * number) for number in range(8)]


def test_stopping_inside_a_run_inside_a_run_interrupts_both() -> None:
    stop = StopToken()
    pool = ThreadWorkerPool(stop)
    tables: list[int] = []

    def table(number: int) -> None:
        tables.append(number)
        stop.request(interrupted())

    with pytest.raises(RunInterrupted):
        list(pool.run(lambda _: list(pool.run(table, range(100), 1)), range(100), 1))
    assert tables == [0]


def test_nothing_at_once_is_refused() -> None:
    with pytest.raises(ValueError, match="at_once is 0"):
        list(ThreadWorkerPool().run(_double, [1], 0))


@each_case("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_to_stop_and_tells_once(number: signal.Signals) -> None:
    stop = StopToken()
    told: list[str] = []
    threads: list[threading.Thread] = []

    def tell(message: str) -> None:
        told.append(message)
        threads.append(threading.current_thread())

    with stop_on_signal(stop, tell):
        signal.raise_signal(number)
        signal.raise_signal(signal.SIGTERM)
        assert stop.requested
    assert told == [STOPPING]
    assert threads != [threading.main_thread()]


def test_the_first_interrupt_is_polite_even_where_something_else_asked_to_stop_before() -> None:
    stop, told = StopToken(), list[str]()
    with stop_on_signal(stop, told.append):
        stop.request(LeaseLost("another run took over"))
        signal.raise_signal(signal.SIGINT)
        assert isinstance(stop.cause, LeaseLost)
    assert told == [STOPPING]


def test_the_second_interrupt_ends_at_once() -> None:
    stop = StopToken()

    def impatient() -> None:
        with stop_on_signal(stop):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        impatient()


def test_the_second_interrupt_does_not_wait_for_a_call_in_progress() -> None:
    stop, started, never = StopToken(), threading.Event(), threading.Event()
    pool = ThreadWorkerPool(stop)

    def hang(_: int) -> None:
        started.set()
        never.wait(PATIENCE_SECONDS)

    def items() -> Iterator[int]:
        yield 0
        assert started.wait(PATIENCE_SECONDS)
        signal.raise_signal(signal.SIGINT)
        assert stop.requested
        signal.raise_signal(signal.SIGINT)

    def impatient() -> None:
        with stop_on_signal(stop):
            list(pool.run(hang, items(), 2))

    with pytest.raises(KeyboardInterrupt):
        impatient()
    assert not never.is_set()
    never.set()


def works_on(stop: StopToken) -> None:
    """Compute, and never look at `stop`."""
    while stop is not None:
        pass


def waits_on(stop: StopToken) -> None:
    """Wait for a thread that never ends."""
    threading.Event().wait(PATIENCE_SECONDS if stop else None)


def in_c_on(_: StopToken) -> None:
    """Stay in one call of C, within which Python runs no handler."""
    sqlite3.connect(":memory:").execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT sum(i) FROM n"
    )


def stopped_within(work: Callable[[StopToken], None], ready: Event, grace_seconds: float) -> None:
    """Do some work, on which signals have no effect."""
    signals.GRACE_SECONDS = grace_seconds
    stop = StopToken()
    with stop_on_signal(stop):
        ready.set()
        work(stop)


@each_case("work", [works_on, waits_on, in_c_on])
def test_a_signal_ends_a_process_whatever_it_does(work: Callable[[StopToken], None]) -> None:
    ready = shared_event()
    process = forked(stopped_within, work, ready, 0.1)
    process.start()
    wait_until(ready)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGTERM)
    assert exit_code(process) == EXIT_INTERRUPTED


def test_handlers_are_put_back_and_untouched_outside_the_main_thread() -> None:
    def handlers() -> list[object]:
        return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    before = handlers()
    with stop_on_signal(StopToken()):
        assert handlers() != before
    assert handlers() == before

    seen: list[list[object]] = []
    said: list[str] = []

    def elsewhere(say: Callable[[str], None]) -> None:
        with stop_on_signal(StopToken(), say):
            seen.append(handlers())

    thread = threading.Thread(target=elsewhere, args=(said.append,))
    thread.start()
    thread.join()
    assert seen == [before]
    assert said == []
