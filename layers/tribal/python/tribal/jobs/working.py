"""Works on every job that waits, one after another, and writes to the log what became of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tribal.errors import PreconditionFailed, StoreUnwritable, TribalError
from tribal.jobs.clock import SystemClock
from tribal.jobs.lease import process_name
from tribal.jobs.lease_file import LeaseFile
from tribal.ports.capability import JobKind

if TYPE_CHECKING:
    from tribal.ports import Application
    from tribal.ports.stopping import StopToken
    from tribal_contracts import Contract

AnyKind = JobKind[Any]


def waiting_jobs(app: Application, kinds: Iterable[AnyKind], ended: set[Contract]) -> list[tuple[AnyKind, Contract]]:
    """The jobs of all kinds that wait; those at which a process died come last, so that no other waits for them.

    Args:
        app: the application.
        kinds: of jobs.
        ended: jobs that have ended, which are not read again; more are added.
    """
    found = [(kind, each) for kind in kinds for each in kind.waiting(app, ended)]
    return [(kind, each.task) for kind, each in sorted(found, key=lambda pair: pair[1].has_died)]


def work_on_waiting(app: Application, kinds: Sequence[AnyKind], stop: StopToken, write: Callable[[str], None]) -> None:
    """Work on every job that waits, until none is left or a stop is requested.

    Args:
        app: the application.
        kinds: of jobs.
        stop: ends the current job, which is resumed later.
        write: writes a line to the log.
    """
    tried: set[Contract] = set()
    ended: set[Contract] = set()
    # Jobs may arrive meanwhile. Those that fail for now are left to the next process.
    while not stop.requested:
        job = next((each for each in waiting_jobs(app, kinds, ended) if each[1] not in tried), None)
        if job is None:
            return
        kind, task = job
        tried.add(task)
        write(_line(kind, task, *_outcome(app, kind, task, stop)))


def _outcome(app: Application, kind: AnyKind, task: Contract, stop: StopToken) -> tuple[str, str | None]:
    """The status of a job afterwards, and the class of the error that ended the work on it."""
    try:
        return kind.work(app, task, stop).status, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - libraries in Rust raise such; the next job is worked on in any case
        if not isinstance(error, Exception) or isinstance(error, StoreUnwritable):
            # On the command line the job can be resumed; here no one would see why it goes on waiting.
            with suppress(TribalError):
                return kind.work(app, task, stop, error).status, type(error).__name__
        return "processing", type(error).__name__


def _line(kind: AnyKind, task: Contract, status: str, error: str | None) -> str:
    """A line of the log, as the server writes them; without anything that its users wrote."""
    level = "info" if error is None else "error"
    fields = {
        "time": SystemClock().published(),
        "level": level,
        "event": kind.name,
        **task.model_dump(),
        "status": status,
    }
    return json.dumps(fields if error is None else {**fields, "error": error})


def release_leases(app: Application, kinds: Sequence[AnyKind], process_id: int) -> bool:
    """Release what a process of this machine held that has ended, and return whether that was anything.

    Raises:
        StoreError: when the store does not answer.
    """
    released = False
    for name in (name for kind in kinds for name in kind.leases(app)):
        file = LeaseFile(app.store(), app.clock, name)
        lease, etag = file.read()
        if lease is not None and not lease.released and lease.holder == process_name(process_id):
            with suppress(PreconditionFailed):
                file.put(file.released(lease), etag)
            released = True
    return released
