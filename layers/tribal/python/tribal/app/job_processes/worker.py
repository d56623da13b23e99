"""The entry point of the process that works on jobs: takes all that wait, then ends.

It ends early when its standard input is closed: when the server is stopping, or has died.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from contextlib import closing, suppress
from typing import IO

from tribal.capabilities import capabilities
from tribal.errors import RunInterrupted
from tribal.jobs.working import AnyKind, work_on_waiting
from tribal.ports import StopToken
from tribal.ports.capability import load

LOWER_PRIORITY = 10
"""How much less urgent than the server's answers. By judgement; 19 is the least."""


def job_kinds() -> list[AnyKind]:
    """The kinds of jobs of all capabilities."""
    return [load(target) for capability in capabilities() for target in capability.jobs]


def _stop_when_closed(source: IO[bytes], stop: StopToken) -> None:
    # Not through its buffer, whose lock the interpreter needs to end.
    os.read(source.fileno(), 1)
    stop.request(RunInterrupted("the server is stopping; the job is resumed later"))


def _write(line: str) -> None:
    # In one call, because the server writes to the same file.
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main() -> None:
    """Receive the settings, and work."""
    from tribal.app.local import Blueprint, local_application

    source = sys.stdin.buffer
    try:
        # Both ends are this program, so the pickle is trusted.
        blueprint: Blueprint = pickle.load(source)  # noqa: S301
    except EOFError:
        return
    with suppress(OSError):
        os.nice(LOWER_PRIORITY)
    stop = StopToken()
    threading.Thread(target=_stop_when_closed, args=(source, stop), daemon=True).start()
    with closing(local_application(blueprint.settings, blueprint.parameters)) as app:
        work_on_waiting(app, job_kinds(), stop, _write)


if __name__ == "__main__":
    main()
