"""Ctrl-C and SIGTERM: work is asked to stop, and the process ends if it has not stopped within some seconds."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tribal.errors import EXIT_INTERRUPTED, RunInterrupted
from tribal.ports import StopToken

STOPPING = "stopping: finishing work in progress; the next run resumes it; press Ctrl-C again to stop at once"
GRACE_SECONDS = 5.0
"""How long work in progress may take to stop. By judgement: half of what `docker stop` waits."""
_END = 0
"""No signal has this number."""
_CUT_SHORT = b"stopped before the work in progress was finished; the next run repeats it\n"


def interrupted() -> RunInterrupted:
    """The error that a stopped run ends with."""
    return RunInterrupted("the run was stopped; run the command again to resume")


def _ignore(message: str) -> None:
    """Ignore the message."""


@contextmanager
def stop_on_signal(
    stop: StopToken, notify: Callable[[str], None] = _ignore, cause: Callable[[], Exception] = interrupted
) -> Iterator[None]:
    """Within the block, the first SIGINT or SIGTERM requests a stop and a later SIGINT raises `KeyboardInterrupt`.

    If the block has not ended `GRACE_SECONDS` after the first signal, the process ends, whatever its threads do.
    `notify` is called once with a message for the user, on its own thread, because the main thread may hold the lock
    for writing when the signal arrives. Does nothing outside the main thread, where Python delivers no signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signalled = False

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal signalled
        if signalled:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            return
        signalled = True
        stop.request(cause())

    # Python runs handlers between two steps of the main thread only; the numbers of signals arrive here at once.
    arriving, numbers = socket.socketpair()
    arriving.setblocking(False)
    ended = threading.Event()

    def watch() -> None:
        while (number := numbers.recv(1)[0]) != _END and signal.getsignal(number) is not handle:
            pass
        if number == _END:
            return
        teller = threading.Thread(target=notify, args=(STOPPING,), name="stop-notice", daemon=True)
        teller.start()
        if not ended.wait(GRACE_SECONDS):
            os.write(2, _CUT_SHORT)
            os._exit(EXIT_INTERRUPTED)
        teller.join()

    watcher = threading.Thread(target=watch, name="stop-watch", daemon=True)
    watcher.start()
    previous_pipe = signal.set_wakeup_fd(arriving.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous_pipe)
        ended.set()
        arriving.send(bytes([_END]))
        watcher.join()
        for number, handler in before.items():
            # None means that the handler was not set from Python and cannot be restored.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        arriving.close()
        numbers.close()
