"""Handle Ctrl-C and `kill`: first a graceful stop, then an immediate one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType

from tribal.errors import RunInterrupted
from tribal.ports import StopToken

STOPPING = "stopping: finishing work in progress; the next run resumes it; press Ctrl-C again to stop at once"


def interrupted() -> RunInterrupted:
    """The error that a stopped run ends with."""
    return RunInterrupted("the run was stopped; run the command again to resume")


def _ignore(message: str) -> None:
    """Ignore the message."""


@contextmanager
def stop_on_signal(stop: StopToken, notify: Callable[[str], None] = _ignore) -> Iterator[None]:
    """Within the block, the first SIGINT or SIGTERM requests a stop and a later SIGINT raises `KeyboardInterrupt`.

    `notify` is called once with a message for the user, on its own thread, because the main thread may hold the lock
    for writing when the signal arrives. Does nothing outside the main thread, where Python delivers no signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: SimpleQueue[bool] = SimpleQueue()

    def notify_user() -> None:
        if pending.get():
            notify(STOPPING)

    signalled = False

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal signalled
        if signalled:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            return
        signalled = True
        stop.request(interrupted())
        pending.put(True)

    speaker = threading.Thread(target=notify_user, name="stop-notice", daemon=True)
    speaker.start()
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            # None means that the handler was not set from Python and cannot be restored.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        pending.put(False)
        speaker.join()
