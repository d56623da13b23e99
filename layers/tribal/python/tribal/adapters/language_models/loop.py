"""The event loop, in a thread of its own, on which all calls of a process run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

_T = TypeVar("_T")

_starting = threading.Lock()
_LOOK_SECONDS = 0.2
"""How soon a stream whose model is silent notices that it was stopped."""


def run_on_loop(call: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine on the loop and wait for it, from any other thread; an interrupted wait cancels it."""
    future = asyncio.run_coroutine_threadsafe(call, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def stream_on_loop(
    call: Callable[[Callable[[str], None]], Coroutine[Any, Any, _T]], stopped: Callable[[], bool] = lambda: False
) -> Generator[str, None, _T | None]:
    """Run a coroutine on the loop, yield each text that it passes on, and return its result.

    Closing the generator cancels the coroutine, and so does `stopped`; the result is then `None`.
    """
    arrived: SimpleQueue[str | None] = SimpleQueue()
    future = asyncio.run_coroutine_threadsafe(call(arrived.put), _loop())
    future.add_done_callback(lambda _: arrived.put(None))
    try:
        while not stopped():
            try:
                text = arrived.get(timeout=_LOOK_SECONDS)
            except Empty:
                continue
            if text is None:
                return future.result()
            yield text
        return None
    finally:
        future.cancel()


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop
