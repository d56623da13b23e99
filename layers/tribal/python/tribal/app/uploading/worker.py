"""The entry point of the process that works on uploads and removals: takes all that wait, then ends.

It ends early when its standard input is closed: when the server is stopping, or has died.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING

from tribal.app.uploading.waiting import Job, waiting_jobs
from tribal.capabilities.chat.errors import ChatBusy
from tribal.errors import RunInterrupted, StoreUnwritable, TribalError
from tribal.ports import StopToken

if TYPE_CHECKING:
    from tribal.ports import Application

LOWER_PRIORITY = 10
"""How much less urgent than the server's answers. By judgement; 19 is the least."""


def work(app: Application, stop: StopToken, write: Callable[[str], None]) -> None:
    """Work on every job that waits, until none is left or a stop is requested.

    Args:
        app: the application.
        stop: ends the current job, which is resumed later.
        write: writes a line to the log.
    """
    tried, ended = set[Job](), set[Job]()
    # Jobs may arrive meanwhile. Those that fail for now are left to the next process.
    while not stop.requested and (job := _next(app, tried, ended)) is not None:
        tried.add(job)
        write(_line(job, *_outcome(app, job, stop)))


def _next(app: Application, tried: set[Job], ended: set[Job]) -> Job | None:
    return next((job for job in waiting_jobs(app, ended) if job not in tried), None)


def _outcome(app: Application, job: Job, stop: StopToken) -> tuple[str, str | None]:
    """The status of a job afterwards, and the class of the error that ended the work on it."""
    from tribal.capabilities.chat.uploads.failing import expected_error
    from tribal.capabilities.chat.uploads.ingesting import end_as_failed, ingest

    try:
        return ingest(app, *job, stop).status, None
    except ChatBusy:
        # Another process works on the collection, for example `tribal upload`.
        return "processing", None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - libraries in Rust raise such; the next job is worked on in any case
        if isinstance(error, Exception) and not isinstance(error, StoreUnwritable):
            return "processing", type(error).__name__
        # On the command line the job can be resumed; here no one would see why it goes on waiting.
        with suppress(TribalError):
            return end_as_failed(app, *job, expected_error(error)).status, type(error).__name__
        return "processing", type(error).__name__


def log_time() -> str:
    """The time as the server's log has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _line(job: Job, status: str, error: str | None) -> str:
    """A line of the log, as the server writes them; without the name of the file."""
    level = "info" if error is None else "error"
    fields = {
        "time": log_time(),
        "level": level,
        "event": "upload",
        "collection": job[0],
        "job_id": job[1],
        "status": status,
    }
    return json.dumps(fields if error is None else {**fields, "error": error})


def _stop_when_closed(source: IO[bytes], stop: StopToken) -> None:
    # Not through its buffer, whose lock the interpreter needs to end.
    os.read(source.fileno(), 1)
    stop.request(RunInterrupted("the server is stopping; the upload is resumed later"))


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
        blueprint = pickle.load(source)  # noqa: S301
    except EOFError:
        return
    if not isinstance(blueprint, Blueprint):
        raise TypeError(f"a worker needs a Blueprint, got {type(blueprint).__name__}")
    with suppress(OSError):
        os.nice(LOWER_PRIORITY)
    stop = StopToken()
    threading.Thread(target=_stop_when_closed, args=(source, stop), daemon=True).start()
    with closing(local_application(blueprint.settings, blueprint.parameters)) as app:
        work(app, stop, _write)


if __name__ == "__main__":
    main()
