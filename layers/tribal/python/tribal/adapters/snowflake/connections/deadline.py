"""Ends a call by the clock, whatever the other side sends or does not send.

The connector's own time limits count whole seconds, and the one for queries does not cover the download of results.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result], late: Callable[[Result], object] | None = None) -> Result:
    """What `call` returns or raises, if it does so in time.

    A call that does not end in time continues in a thread of its own, which does not delay the end of the process.

    Args:
        late: called with a result that arrives after the deadline.

    Raises:
        TimeoutError: when the time is up.
    """
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    threading.Thread(target=run, name="tribal-snowflake", daemon=True).start()
    try:
        return outcome.result(seconds)
    except BaseException:
        if late is not None and not (outcome.done() and outcome.exception() is not None):
            outcome.add_done_callback(lambda done: None if done.exception() else late(done.result()))
        raise
