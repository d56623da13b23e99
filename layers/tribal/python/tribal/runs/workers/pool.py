"""A pool of threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeVar

from tribal.ports import StopToken

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _CallResult(Generic[Item, Result]):
    item: Item
    result: Result | None
    error: BaseException | None


class ThreadWorkerPool:
    """Runs functions on threads; each `run` has its own, so nested runs cannot deadlock.

    Args:
        stop: once a stop is requested, every `run`, present or future, ends after its current calls and raises the
            cause.
    """

    def __init__(self, stop: StopToken | None = None) -> None:
        self._stop = stop or StopToken()

    def run(
        self, function: Callable[[Item], Result], items: Iterable[Item], at_once: int, *, ignore_stop: bool = False
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result as it completes, running at most `at_once` at a time.

        Items are consumed lazily on the caller's thread. After an error or a stop request, the calls in progress finish
        and their results are yielded first, so that no finished work is lost; with `ignore_stop`, a stop request is
        ignored.

        Raises:
            TribalError: the cause of a requested stop.
        """
        if at_once < 1:
            raise ValueError(f"at_once is {at_once}; at least one thing has to be done at a time")
        stop = StopToken() if ignore_stop else self._stop
        threads: _ThreadGroup[Item, Result] = _ThreadGroup(function)
        source = iter(items)
        error: BaseException | None = None
        exhausted = False
        try:
            while True:
                while not (exhausted or error or stop.requested) and threads.in_progress < at_once:
                    try:
                        item = next(source)
                    except StopIteration:
                        exhausted = True
                    except Exception as exc:  # noqa: BLE001 - raised below, after the running calls
                        error = exc
                    else:
                        threads.start(item)
                if not threads.in_progress:
                    break
                done = threads.wait()
                if done.error is None:
                    yield done.item, done.result  # type: ignore[misc]
                else:
                    error = error or done.error
        finally:
            threads.dismiss()
        if error is not None:
            raise error
        stop.check()


class _ThreadGroup(Generic[Item, Result]):
    """The threads of one run; daemons, so that a second Ctrl-C ends the process at once."""

    def __init__(self, function: Callable[[Item], Result]) -> None:
        self._function = function
        self._tasks: SimpleQueue[tuple[Item] | None] = SimpleQueue()
        self._done: SimpleQueue[_CallResult[Item, Result]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self.in_progress = 0

    def start(self, item: Item) -> None:
        """Pass an item to an idle thread, or to a new one if all are busy."""
        if self.in_progress == len(self._threads):
            thread = threading.Thread(target=self._work, name=f"worker-{len(self._threads) + 1}", daemon=True)
            thread.start()
            self._threads.append(thread)
        self.in_progress += 1
        self._tasks.put((item,))

    def wait(self) -> _CallResult[Item, Result]:
        """Wait for the next call to complete."""
        done = self._done.get()
        self.in_progress -= 1
        return done

    def dismiss(self) -> None:
        """End the threads, each after its current call."""
        for _ in self._threads:
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            item = task[0]
            try:
                done: _CallResult[Item, Result] = _CallResult(item, self._function(item), None)
            except BaseException as exc:  # noqa: BLE001 - carried over to the caller's thread
                done = _CallResult(item, None, exc)
            self._done.put(done)
